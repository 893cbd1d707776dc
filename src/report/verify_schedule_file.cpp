// A schedule file against a replay of its stages. Nothing that can be computed again is taken from
// the file: the stages and the graph give everything but bounds, settings and digests of files that
// are not at hand. All findings are listed, as one wrong stage and one wrong figure have different
// causes. Reading has checked the form before; what is here is about contents.

#include "report/verify_schedule_file.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "model/chip_ram.hpp"
#include "poet/schedule_file.hpp"
#include "report/claim.hpp"
#include "report/compare_fields.hpp"
#include "report/fields.hpp"
#include "report/file_order.hpp"
#include "report/schedule_version.hpp"
#include "report/summary.hpp"
#include "report/unplaced_file.hpp"

namespace poet {
namespace {

/// What is wrong, one line each.
using Lines = std::vector<std::string>;

template <typename Figure>
void compare(Lines& found, const std::string& what, const Figure& stated, const Figure& replayed) {
  compare_value(stated, replayed, InFile::always, what, {},
                [&](const std::string& key, const std::string& is, const std::string& should_be) {
                  found.push_back(fmt::format("{} is {}; the replay says {}", key, is, should_be));
                });
}

void check_rules(Lines& found, const Replay& replay) {
  for (const Violation& violation : replay.violations) {
    found.push_back(fmt::format("{}: {}", rule_name(violation.rule), violation.message));
  }
}

void check_model(Lines& found, const ScheduleFile& file, const Model* model) {
  compare(found, "model.node_count", file.model.node_count, file.graph.size());
  compare(found, "model.forward_node_count", file.model.forward_node_count,
          file.graph.first_backward);
  Lines order = order_findings(file);
  if (order.empty() && model != nullptr) order = order_findings(file, *model);
  found.insert(found.end(), order.begin(), order.end());
}

/// The open share of the extra energy by the replay; the stated one if both differ by rounding
/// only. Its numerator has the rounding error of the whole energy.
std::optional<double> expected_gap_extra(const Summary& stated, const Summary& replayed) {
  if (!stated.gap_extra) return replayed.gap_extra;
  const Joules extra = replayed.energy_joules - replayed.baseline_energy_joules;
  const double tolerance =
      extra > 0 ? kFigureTolerance * replayed.energy_joules / extra : kRatioTolerance;
  const bool is_same =
      agree(*stated.gap_extra, *replayed.gap_extra, std::max(tolerance, kRatioTolerance));
  return is_same ? stated.gap_extra : replayed.gap_extra;
}

/// Whether there are transfers whose times the file does not hold, as nodes of version 1 do not.
template <typename Figures>
bool lacks_transfer_times(const ScheduleFile& file, const Figures& figures) {
  return !is_beyond_poet(file) && figures.page_in_count + figures.page_out_count > 0;
}

/// The time of all transfers by the model's graph, if that is the graph of the file; else as
/// stated.
Seconds paging_seconds_by(const Model& model, const Platform* platform, const ScheduleFile& file) {
  const Request& request = file.request;
  const Limits& limits = request.limits;
  Graph graph =
      cost_graph(model, platform, request.settings.mem_power_scale, limits.techniques.paging);
  const NodeOrder& order = file.model.order;
  if (!order.empty() && is_legal(graph, {}, order)) graph = permuted(graph, order);
  const bool is_same =
      graph_sha256(graph, limits.paging_time) == graph_sha256(file.graph, limits.paging_time);
  return is_same ? simulate(graph, file.schedule, limits).paging_seconds
                 : file.summary.paging_seconds;
}

/// The summary as the replay says it. What nobody can say stays as stated.
Summary expected_summary(const ScheduleFile& file, const Replay& replay, const Model* model,
                         const Platform* platform) {
  const Summary& stated = file.summary;
  Summary expected = summarise(file.graph, replay, file.request.limits.ram_budget_bytes,
                               stated.lower_bound_joules);
  add_exact_figures(expected, file.graph, replay);
  expected.gap_extra = expected_gap_extra(stated, expected);
  if (lacks_transfer_times(file, replay)) {
    expected.paging_seconds =
        model != nullptr ? paging_seconds_by(*model, platform, file) : stated.paging_seconds;
  }
  expected.memory = model != nullptr ? device_memory(*model, platform) : stated.memory;
  add_arena(expected.memory, file.arena.arena_bytes);
  expected.steps_until_worn = platform != nullptr ? steps_until_worn(platform, replay.written_bytes)
                                                  : stated.steps_until_worn;
  return expected;
}

void check_summary(Lines& found, const ScheduleFile& file, const Summary& expected) {
  compare_fields(file.summary, expected, kFields<Summary>, "summary.",
                 [&](const std::string& key, const std::string& is, const std::string& should_be) {
                   found.push_back(fmt::format("{} is {}; the replay says {}", key, is, should_be));
                 });
}

/// A budget in seconds is stated as a multiple too.
void check_request(Lines& found, const ScheduleFile& file) {
  const Request& request = file.request;
  const Seconds once = baseline(file.graph).runtime_seconds;
  if (!(once > 0)) return;  // no multiple of it is a budget
  // With copies it is a multiple of one pass without, which takes no longer.
  const bool is_copied = !file.model.copies.tensors.empty();
  if (is_copied && request.runtime_budget_ratio * once >= request.limits.runtime_budget_seconds) {
    return;
  }
  compare(found, "request.runtime_budget_ratio", request.runtime_budget_ratio,
          request.limits.runtime_budget_seconds / once);
}

void check_stage_peaks(Lines& found, const ScheduleFile& file, const Replay& replay) {
  const std::vector<Bytes>& stated = file.stage_peak_ram_bytes;
  const std::vector<Bytes>& replayed = replay.stage_peak_ram_bytes;
  compare(found, "the number of stage peaks", stated.size(), replayed.size());
  for (std::size_t t = 0; t < std::min(stated.size(), replayed.size()); ++t) {
    compare(found, fmt::format("stage {}: peak_ram_bytes", t), stated[t], replayed[t]);
  }
}

std::string shown_step(const std::vector<Instruction>& program, std::size_t at) {
  if (at >= program.size()) return "nothing";
  const Instruction& step = program[at];
  const std::string over = step.over ? fmt::format(" over {}", *step.over) : std::string();
  return fmt::format("{} {}{}", name_of(step.op), step.node, over);
}

}  // namespace

/// Reports the first difference only: everything after it is likely to differ as well.
void check_program(Lines& found, const ScheduleFile& file, const Model* model,
                   const Platform* platform) {
  const std::vector<Instruction> expected =
      to_program(file.graph, file.schedule, file.request.limits.paging_time);
  const std::vector<Instruction> stated = without_offsets(file.program);
  if (stated == expected) {
    if (has_offsets(file)) check_arena(found, file, model, platform);
    return;
  }
  std::size_t at = 0;
  while (at < std::min(stated.size(), expected.size()) && stated[at] == expected[at]) ++at;
  found.push_back(fmt::format("program: instruction {} is {}; the stages say {}", at,
                              shown_step(stated, at), shown_step(expected, at)));
}

std::vector<std::string> verify_schedule_file(const ScheduleFile& file, const Model* model,
                                              const Platform* platform) {
  const Replay replay = simulate(file.graph, file.schedule, file.request.limits);
  Lines found;
  check_rules(found, replay);
  check_model(found, file, model);
  check_copies(found, file);
  check_request(found, file);
  check_summary(found, file, expected_summary(file, replay, model, platform));
  check_stage_peaks(found, file, replay);
  check_claim(found, file, replay.energy_joules);
  check_uncertainty(found, file, replay.energy_joules, model, platform);
  // Only a valid schedule has a program.
  if (replay.valid()) check_program(found, file, model, platform);
  return found;
}

std::vector<std::string> verify_schedule_file(const ScheduleFile& file) {
  return verify_schedule_file(file, nullptr, nullptr);
}

std::vector<std::string> unverified_figures(const ScheduleFile& file, const Model* model,
                                            const Platform* platform) {
  Lines keys;
  const auto add = [&](const char* key, const auto& stated, const void* source) {
    if (stated && source == nullptr) keys.emplace_back(key);
  };
  if (model == nullptr && lacks_transfer_times(file, file.summary)) {
    keys.emplace_back("summary.paging_seconds");
  }
  add("summary.memory", file.summary.memory, model);
  add("summary.steps_until_worn", file.summary.steps_until_worn, platform);
  add("summary.moved_seconds", file.arena.moved_seconds, platform);
  add("summary.banks", !file.banked.banks.empty(), platform);
  add("summary.energy_range", file.uncertainty.energy_range, platform);
  add("summary.runtime_range", file.uncertainty.runtime_range, platform);
  return keys;
}

}  // namespace poet
