// A schedule file against a replay of its stages.

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/schedule_file.hpp"
#include "report/claim.hpp"
#include "report/fields.hpp"
#include "report/schedule_version.hpp"
#include "report/summary.hpp"
#include "schedule/addresses.hpp"
#include "schedule/slots.hpp"

namespace poet {
namespace {

/// Ratios are differences of nearly equal figures: their error is absolute, not relative.
constexpr double kRatioTolerance = 1e-9;

/// What is wrong, one line each.
using Lines = std::vector<std::string>;

template <typename Figure>
bool same_figure(Figure stated, Figure replayed) {
  if constexpr (std::is_floating_point_v<Figure>) {
    return agree(stated, replayed);
  } else {
    return stated == replayed;
  }
}

template <typename Figure>
void compare(Lines& found, std::string_view what, Figure stated, Figure replayed) {
  if (same_figure(stated, replayed)) return;
  if constexpr (std::is_floating_point_v<Figure>) {
    const auto [is, expected] = distinct(stated, replayed);
    found.push_back(fmt::format("{} is {}; the replay says {}", what, is, expected));
  } else {
    found.push_back(fmt::format("{} is {}; the replay says {}", what, stated, replayed));
  }
}

void check_rules(Lines& found, const Replay& replay) {
  for (const Violation& violation : replay.violations) {
    found.push_back(fmt::format("{}: {}", rule_name(violation.rule), violation.message));
  }
}

void check_model(Lines& found, const ScheduleFile& report) {
  compare(found, "model.node_count", report.model.node_count, report.graph.size());
  compare(found, "model.forward_node_count", report.model.forward_node_count,
          report.graph.first_backward);
}

bool is_ratio(std::string_view key) {
  return key == "energy_overhead" || key == "gap" || key.ends_with("runtime_ratio");
}

template <typename Figure>
void check_figure(Lines& found, std::string_view key, const Figure& is, const Figure& should_be) {
  if constexpr (HasFields<Figure>) {
    // What training needs beside tensors is no figure of a replay.
  } else if constexpr (kIsOptional<Figure>) {
    if (is && should_be) check_figure(found, key, *is, *should_be);
  } else {
    const bool agrees = is_ratio(key) && agree(static_cast<double>(is),
                                               static_cast<double>(should_be), kRatioTolerance);
    if (!agrees) compare(found, fmt::format("summary.{}", key), is, should_be);
  }
}

/// The error of a share of the extra energy is that of the whole energy.
void check_extra_gap(Lines& found, const Summary& stated, const Summary& replayed) {
  if (!stated.gap_extra) return;
  const Joules extra = replayed.energy_joules - replayed.baseline_energy_joules;
  const double tolerance =
      extra > 0 ? kFigureTolerance * replayed.energy_joules / extra : kRatioTolerance;
  if (agree(*stated.gap_extra, *replayed.gap_extra, std::max(tolerance, kRatioTolerance))) return;
  compare(found, "summary.gap_extra", *stated.gap_extra, *replayed.gap_extra);
}

void check_summary(Lines& found, const ScheduleFile& report, const Replay& replay) {
  const Summary& stated = report.summary;
  Summary replayed =
      summarise(report.graph, replay, report.request.ram_budget_bytes, stated.lower_bound_joules);
  add_exact_figures(replayed, report.graph, replay);
  const bool has_paging_times = is_beyond_poet(report);
  for_each_field(kFields<Summary>, [&](const auto& field) {
    // Version 1 does not hold the time of each transfer, so their sum cannot be checked.
    if (field.key == "paging_seconds" && !has_paging_times) return;
    if (field.key == "gap_extra") return check_extra_gap(found, stated, replayed);
    check_figure(found, field.key, field.of(stated), field.of(replayed));
  });
}

void check_stage_peaks(Lines& found, const ScheduleFile& report, const Replay& replay) {
  const std::vector<Bytes>& stated = report.stage_peak_ram_bytes;
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

void check_arena(Lines& found, const ScheduleFile& report) {
  Bytes moved = 0;
  for (const Instruction& step : report.program) {
    if (step.op != Instruction::Op::move) continue;
    if (step.node < 0 || step.node >= report.graph.size()) {
      found.push_back(
          fmt::format("program: {} is moved, which is not a node of the graph", step.node));
      return;
    }
    moved += report.graph.nodes[step.node].bytes;
  }
  compare(found, "summary.moved_bytes", report.arena.moved_bytes.value_or(0), moved);
  if (!report.arena.arena_bytes) {
    found.emplace_back("the program has offsets, but summary has no arena_bytes");
    return;
  }
  const Lines overlaps = check_addresses(report.graph, report.program, *report.arena.arena_bytes);
  found.insert(found.end(), overlaps.begin(), overlaps.end());
  const Lines lost = check_slots(report.graph, report.program, report.arena.storage_bytes);
  found.insert(found.end(), lost.begin(), lost.end());
}

/// Reports the first difference only: everything after it is likely to differ as well.
void check_program(Lines& found, const ScheduleFile& report) {
  const std::vector<Instruction> expected =
      to_program(report.graph, report.schedule, report.request.paging_time);
  const std::vector<Instruction> stated = without_offsets(report.program);
  if (stated == expected) {
    if (has_offsets(report)) check_arena(found, report);
    return;
  }
  std::size_t at = 0;
  while (at < std::min(stated.size(), expected.size()) && stated[at] == expected[at]) ++at;
  found.push_back(fmt::format("program: instruction {} is {}; the stages say {}", at,
                              shown_step(stated, at), shown_step(expected, at)));
}

}  // namespace

std::vector<std::string> verify_schedule_file(const ScheduleFile& report) {
  const Replay replay = simulate(report.graph, report.schedule, limits_of(report.request));
  Lines found;
  check_rules(found, replay);
  check_model(found, report);
  check_summary(found, report, replay);
  check_stage_peaks(found, report, replay);
  check_claim(found, report, replay.energy_joules);
  if (replay.valid()) check_program(found, report);  // only a valid schedule has a program
  return found;
}

}  // namespace poet
