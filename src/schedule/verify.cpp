#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "poet/report.hpp"
#include "schedule/names.hpp"
#include "schedule/summary.hpp"
#include "schedule/tolerance.hpp"

namespace poet {
namespace {

/// Ratios are differences of nearly equal figures: their error is absolute, not relative.
constexpr double kRatioTolerance = 1e-9;

/// A gap is compared with the gap asked for, with this much allowed for rounding.
constexpr double kGapTolerance = 1e-9;

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
  found.push_back(fmt::format("{} is {}; the replay says {}", what, stated, replayed));
}

void check_rules(Lines& found, const Replay& replay) {
  for (const Violation& violation : replay.violations) {
    found.push_back(fmt::format("{}: {}", rule_name(violation.rule), violation.message));
  }
}

void check_model(Lines& found, const Report& report) {
  compare(found, "model.node_count", report.model.node_count, report.graph.size());
  compare(found, "model.forward_node_count", report.model.forward_node_count,
          report.graph.first_backward);
}

void check_summary(Lines& found, const Report& report, const Replay& replay) {
  const Summary& stated = report.summary;
  const Summary replayed =
      summarise(report.graph, replay, report.request.ram_budget_bytes, stated.lower_bound_joules);
  visit_summary([&](std::string_view key, auto figure) {
    // A file does not say how long each transfer takes, so that sum is out of reach.
    if (key == "paging_seconds") return;
    const bool is_ratio = key == "energy_overhead" || key == "gap" || key == "runtime_ratio";
    if (is_ratio && agree(static_cast<double>(stated.*figure),
                          static_cast<double>(replayed.*figure), kRatioTolerance)) {
      return;
    }
    compare(found, fmt::format("summary.{}", key), stated.*figure, replayed.*figure);
  });
}

void check_stage_peaks(Lines& found, const Report& report, const Replay& replay) {
  const std::vector<Bytes>& stated = report.stage_peak_ram_bytes;
  const std::vector<Bytes>& replayed = replay.stage_peak_ram_bytes;
  compare(found, "the number of stage peaks", stated.size(), replayed.size());
  for (std::size_t t = 0; t < std::min(stated.size(), replayed.size()); ++t) {
    compare(found, fmt::format("stage {}: peak_ram_bytes", t), stated[t], replayed[t]);
  }
}

void check_claim(Lines& found, const Report& report, const Replay& replay) {
  const Joules energy = replay.energy_joules;
  const Joules bound = report.summary.lower_bound_joules;
  if (!(bound <= energy * (1 + kFigureTolerance))) {
    found.push_back(
        fmt::format("the lower bound of {} J is above the energy of {} J", bound, energy));
  }
  const double gap = energy > 0 ? (energy - bound) / energy : 0;
  if (report.status == Status::optimal && !(gap <= report.request.gap + kGapTolerance)) {
    found.push_back(fmt::format("status is optimal, but the gap of {} is above the {} asked for",
                                gap, report.request.gap));
  }
  if (report.status != Status::optimal && report.status != Status::feasible) {
    found.push_back(
        fmt::format("status is {}; expected optimal or feasible for a file with a schedule",
                    name_of(kStatusNames, report.status)));
  }
  if (report.code != ExitCode::ok && report.code != ExitCode::requirement &&
      report.code != ExitCode::interrupted) {
    found.push_back(fmt::format("code is {}; expected 0, 5 or 130 for a file with a schedule",
                                static_cast<int>(report.code)));
  }
}

std::string shown_step(const std::vector<Instruction>& program, std::size_t at) {
  if (at >= program.size()) return "nothing";
  return fmt::format("{} {}", name_of(kOpNames, program[at].op), program[at].node);
}

/// Reports the first difference only: everything after it is likely to differ as well.
void check_program(Lines& found, const Report& report) {
  const std::vector<Instruction> expected = to_program(report.graph, report.schedule);
  const std::vector<Instruction>& stated = report.program;
  if (stated == expected) return;
  std::size_t at = 0;
  while (at < std::min(stated.size(), expected.size()) && stated[at] == expected[at]) ++at;
  found.push_back(fmt::format("program: instruction {} is {}; the stages say {}", at,
                              shown_step(stated, at), shown_step(expected, at)));
}

}  // namespace

std::vector<std::string> verify_report(const Report& report) {
  const Limits limits = {.ram_budget_bytes = report.request.ram_budget_bytes,
                         .runtime_budget_seconds = report.request.runtime_budget_seconds,
                         .paging = report.request.paging,
                         .remat = report.request.remat};
  const Replay replay = simulate(report.graph, report.schedule, limits);
  Lines found;
  check_rules(found, replay);
  check_model(found, report);
  check_summary(found, report, replay);
  check_stage_peaks(found, report, replay);
  check_claim(found, report, replay);
  if (replay.valid()) check_program(found, report);  // only a valid schedule has a program
  return found;
}

}  // namespace poet
