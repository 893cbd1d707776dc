#include "poet/schedule_file.hpp"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"
#include "report/summary.hpp"

namespace poet {
namespace {

/// Ratios are differences of nearly equal figures: their error is absolute, not relative.
constexpr double kRatioTolerance = 1e-9;

/// Rounding that is allowed when a gap is compared with the gap asked for.
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

void check_summary(Lines& found, const ScheduleFile& report, const Replay& replay) {
  const Summary& stated = report.summary;
  const Summary replayed =
      summarise(report.graph, replay, report.request.ram_budget_bytes, stated.lower_bound_joules);
  for_each_field(kFields<Summary>, [&](const auto& field) {
    // A file does not hold the time of each transfer, so their sum cannot be checked.
    if (field.key == "paging_seconds") return;
    const bool is_ratio =
        field.key == "energy_overhead" || field.key == "gap" || field.key == "runtime_ratio";
    const auto is = field.of(stated);
    const auto should_be = field.of(replayed);
    if (is_ratio && agree(static_cast<double>(is), static_cast<double>(should_be), kRatioTolerance))
      return;
    compare(found, fmt::format("summary.{}", field.key), is, should_be);
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

/// What a replay cannot compute but only contradict: status, bound and code.
void check_claim(Lines& found, const ScheduleFile& report, Joules energy) {
  const Joules bound = report.summary.lower_bound_joules;
  if (!(bound <= energy * (1 + kFigureTolerance))) {
    const auto [low, high] = distinct(bound, energy);
    found.push_back(fmt::format("the lower bound of {} J is above the energy of {} J", low, high));
  }
  const double gap = energy > 0 ? (energy - bound) / energy : 0;
  if (report.status == Status::optimal && !(gap <= report.request.settings.gap + kGapTolerance)) {
    const auto [is, asked] = distinct(gap, report.request.settings.gap);
    found.push_back(
        fmt::format("status is optimal, but the gap of {} is above the {} asked for", is, asked));
  }
  if (report.status != Status::optimal && report.status != Status::feasible) {
    found.push_back(
        fmt::format("status is {}; expected optimal or feasible for a file with a schedule",
                    name_of(report.status)));
  }
  if (report.code != ExitCode::ok && report.code != ExitCode::requirement &&
      report.code != ExitCode::interrupted) {
    found.push_back(fmt::format("code is {}; expected 0, 5 or 130 for a file with a schedule",
                                static_cast<int>(report.code)));
  }
}

std::string shown_step(const std::vector<Instruction>& program, std::size_t at) {
  if (at >= program.size()) return "nothing";
  return fmt::format("{} {}", name_of(program[at].op), program[at].node);
}

/// Reports the first difference only: everything after it is likely to differ as well.
void check_program(Lines& found, const ScheduleFile& report) {
  const std::vector<Instruction> expected = to_program(report.graph, report.schedule);
  const std::vector<Instruction>& stated = report.program;
  if (stated == expected) return;
  std::size_t at = 0;
  while (at < std::min(stated.size(), expected.size()) && stated[at] == expected[at]) ++at;
  found.push_back(fmt::format("program: instruction {} is {}; the stages say {}", at,
                              shown_step(stated, at), shown_step(expected, at)));
}

/// The file is verified against its request, so the request has to be what was solved.
void check_request(const Request& request, const Limits& limits) {
  const bool same = request.ram_budget_bytes == limits.ram_budget_bytes &&
                    request.runtime_budget_seconds == limits.runtime_budget_seconds &&
                    request.paging == limits.paging && request.remat == limits.remat;
  if (!same) throw InternalError("the request differs from the problem that was solved");
}

void check_replay(const Replay& replay, const SolveResult& result) {
  if (!replay.valid()) {
    const Violation& first = replay.violations.front();
    throw InternalError(
        fmt::format("the schedule breaks {}: {}", rule_name(first.rule), first.message));
  }
  if (!agree(replay.energy_joules, result.energy_joules)) {
    const auto [solver, replayed] = distinct(result.energy_joules, replay.energy_joules);
    throw InternalError(
        fmt::format("the solver says {} J, the replay of its schedule {} J", solver, replayed));
  }
}

/// A bound above the energy by rounding alone is the energy; by more, it fails verification.
Joules rounded_bound(Joules bound, Joules energy) {
  return agree(bound, energy) ? std::min(bound, energy) : bound;
}

}  // namespace

ModelInfo model_info(const Model& model) {
  const auto backward = std::find_if(model.nodes.begin(), model.nodes.end(),
                                     [](const ModelNode& node) { return node.backward; });
  return {.name = model.name,
          .source = model.source,
          .batch_size = model.batch_size,
          .node_count = static_cast<int>(model.nodes.size()),
          .forward_node_count = static_cast<int>(backward - model.nodes.begin()),
          .backward = std::string(name_of(model.backward)),
          .sha256 = model.sha256};
}

PlatformInfo platform_info(const Platform& platform) {
  return {.name = platform.name, .source = platform.source, .sha256 = platform.sha256};
}

ScheduleFile make_schedule_file(const Model& model, const Platform* platform,
                                const Problem& problem, const Request& request,
                                const SolveResult& result) {
  if (!result.schedule) throw InternalError("a report needs a schedule, and there is none");
  check_request(request, problem.limits);
  const Replay replay = simulate(problem.graph, *result.schedule, problem.limits);
  check_replay(replay, result);

  ScheduleFile report;
  report.code = result.interrupted ? ExitCode::interrupted : ExitCode::ok;
  report.status = result.status;
  report.model = model_info(model);
  // The graph is what the schedule is about; a caller may bring a model without its nodes.
  report.model.node_count = problem.graph.size();
  report.model.forward_node_count = problem.graph.first_backward;
  if (platform != nullptr) report.platform = platform_info(*platform);
  report.request = request;
  report.summary = summarise(problem.graph, replay, request.ram_budget_bytes,
                             rounded_bound(result.lower_bound_joules, replay.energy_joules));
  report.solver = result.statistics;
  report.graph = problem.graph;
  report.schedule = *result.schedule;
  report.stage_peak_ram_bytes = replay.stage_peak_ram_bytes;
  report.program = to_program(problem.graph, *result.schedule);
  // The figures are this replay's own, so that no second replay could find fault with them.
  Lines found;
  check_claim(found, report, replay.energy_joules);
  if (found.empty()) return report;
  throw InternalError("the report contradicts its own schedule: " + found.front());
}

std::vector<std::string> verify_schedule_file(const ScheduleFile& report) {
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
  check_claim(found, report, replay.energy_joules);
  if (replay.valid()) check_program(found, report);  // only a valid schedule has a program
  return found;
}

}  // namespace poet
