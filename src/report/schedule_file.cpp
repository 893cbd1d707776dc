#include "poet/schedule_file.hpp"

#include <algorithm>

#include "report/fields.hpp"
#include "report/place_schedule.hpp"
#include "report/summary.hpp"
#include "report/unplaced_file.hpp"

namespace poet {

ModelInfo model_info(const Model& model) {
  const auto backward = std::find_if(model.nodes.begin(), model.nodes.end(),
                                     [](const ModelNode& node) { return node.backward; });
  return {.name = model.name,
          .source = model.source,
          .batch_size = model.batch_size,
          .node_count = static_cast<int>(model.nodes.size()),
          .forward_node_count = static_cast<int>(backward - model.nodes.begin()),
          .backward = std::string(name_of(model.backward)),
          .sha256 = model.sha256,
          .alignment = model.alignment,
          .order = model.order,
          .copies = model.copies};
}

PlatformInfo platform_info(const Platform& platform) {
  return {.name = platform.name, .source = platform.source, .sha256 = platform.sha256};
}

bool is_forward_pass(const ScheduleFile& file) {
  return file.model.backward == name_of(Backward::none);
}

std::string_view step_word(const ScheduleFile& file) {
  return is_forward_pass(file) ? "inference" : "training step";
}

ScheduleFile make_schedule_file(const Model& model, const Platform* platform,
                                const Problem& problem, const Request& request,
                                const SolveResult& result) {
  ScheduleFile file = make_unplaced_file(model, platform, problem, request, result);
  add_offsets(file);
  if (platform != nullptr) price_moves(file.arena, *platform);
  return file;
}

}  // namespace poet
