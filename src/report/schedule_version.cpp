// The version of a file is the oldest one that can hold it. Files that need nothing new are written
// as before, byte by byte, so that older programs read them and stored results can be compared.

#include "report/schedule_version.hpp"

#include <algorithm>

#include "problem/fields.hpp"
#include "report/compare_fields.hpp"
#include "report/fields.hpp"

namespace poet {
namespace {

bool has_attributes(const Node& node) {
  // Version 1 leaves out the times of transfers.
  Node plain;
  plain.page_in_seconds = node.page_in_seconds;
  plain.page_out_seconds = node.page_out_seconds;
  if (bytes_in_storage(node) == node.bytes) plain.storage_bytes = node.storage_bytes;
  bool found = false;
  for_each_field(kExactNodeFields,
                 [&](const auto& field) { found = found || field.of(node) != field.of(plain); });
  return found;
}

bool is_exact(const ModelInfo& model) {
  return model.backward == name_of(Backward::exact);
}

bool is_beyond_poet(const Request& request) {
  return first_difference(request.limits, Limits(), kNewLimits).has_value();
}

}  // namespace

bool is_beyond_poet(const ScheduleFile& file) {
  const bool attributes =
      std::any_of(file.graph.nodes.begin(), file.graph.nodes.end(), has_attributes);
  return attributes || is_exact(file.model) || is_beyond_poet(file.request);
}

std::vector<Instruction> without_offsets(std::vector<Instruction> program) {
  std::erase_if(program, [](const Instruction& step) { return step.op == Instruction::Op::move; });
  for (Instruction& step : program) {
    step.offset.reset();
    step.workspace_offset.reset();
    step.slot.reset();
  }
  return program;
}

// By the program as well as by the summary, as a file may have been edited.
bool has_offsets(const ScheduleFile& file) {
  return file.arena != ArenaFigures() || file.banked != BankedFigures() ||
         without_offsets(file.program) != file.program;
}

int schedule_version(const ScheduleFile& file) {
  const bool is_chosen =
      !file.model.order.empty() || file.bought.given_order_energy_joules.has_value();
  const bool is_certified = file.certificate != CertifiedFigures();
  const bool is_uncertain =
      file.uncertainty != UncertaintyFigures() || file.request.at != EnergyEnd::middle;
  return is_beyond_poet(file) || has_offsets(file) || is_chosen || is_certified || is_uncertain ? 2
                                                                                                : 1;
}

int schedule_version(const ProblemInfo& problem) {
  const bool new_model =
      problem.model && (is_exact(*problem.model) || !problem.model->order.empty());
  const auto is_new = [](const Request& request) {
    return is_beyond_poet(request) || request.settings.order != OrderKind::given ||
           request.at != EnergyEnd::middle;
  };
  return new_model || (problem.request && is_new(*problem.request)) ? 2 : 1;
}

}  // namespace poet
