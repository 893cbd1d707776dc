#include "poet/schedule_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"
#include "report/summary.hpp"
#include "schedule/addresses.hpp"

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

bool has_attributes(const Node& node) {
  // Version 1 leaves out the times of transfers, whatever they are.
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
  return request.paging_time != PagingTime::free || request.storage_budget_bytes ||
         request.page_out_budget_bytes;
}

/// Whether a file needs version 2 for anything but offsets. Only then do its nodes have the times
/// of transfers: offsets may have been added to a file of version 1.
bool is_beyond_poet(const ScheduleFile& file) {
  const bool attributes =
      std::any_of(file.graph.nodes.begin(), file.graph.nodes.end(), has_attributes);
  return attributes || is_exact(file.model) || is_beyond_poet(file.request);
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

/// The relative gap of what the objective names, if that is not the energy; 1 without a bound.
double objective_gap(const ScheduleFile& report) {
  const auto gap = [](double figure, const auto& bound) {
    if (!bound) return 1.0;
    return figure > 0 ? (figure - static_cast<double>(*bound)) / figure : 0.0;
  };
  switch (report.request.settings.objective) {
    case Objective::runtime:
      return gap(report.summary.runtime_seconds, report.bounds.runtime_lower_bound_seconds);
    case Objective::ram:
      return gap(static_cast<double>(report.summary.peak_ram_bytes),
                 report.bounds.ram_lower_bound_bytes);
    case Objective::energy:
      break;
  }
  return 0;
}

bool objective_is_proven(const ScheduleFile& report) {
  return objective_gap(report) <= report.request.settings.gap + kGapTolerance;
}

void check_objective(Lines& found, const ScheduleFile& report) {
  const ObjectiveBounds& bounds = report.bounds;
  const Seconds runtime = report.summary.runtime_seconds;
  if (bounds.runtime_lower_bound_seconds &&
      !(*bounds.runtime_lower_bound_seconds <= runtime * (1 + kFigureTolerance))) {
    const auto [low, high] = distinct(*bounds.runtime_lower_bound_seconds, runtime);
    found.push_back(fmt::format("the lower bound of {} s is above the runtime of {} s", low, high));
  }
  if (bounds.ram_lower_bound_bytes &&
      *bounds.ram_lower_bound_bytes > report.summary.peak_ram_bytes) {
    found.push_back(fmt::format("the lower bound of {} bytes of RAM is above the peak of {} bytes",
                                *bounds.ram_lower_bound_bytes, report.summary.peak_ram_bytes));
  }
  if (report.status == Status::optimal && !objective_is_proven(report)) {
    found.push_back(fmt::format("status is optimal, but the least {} is not proven within {}",
                                name_of(report.request.settings.objective),
                                report.request.settings.gap));
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
  check_objective(found, report);
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
  const Instruction& step = program[at];
  const std::string over = step.over ? fmt::format(" over {}", *step.over) : std::string();
  return fmt::format("{} {}{}", name_of(step.op), step.node, over);
}

/// The program without what offsets add to it.
std::vector<Instruction> without_offsets(std::vector<Instruction> program) {
  std::erase_if(program, [](const Instruction& step) { return step.op == Instruction::Op::move; });
  for (Instruction& step : program) {
    step.offset.reset();
    step.workspace_offset.reset();
  }
  return program;
}

bool has_offsets(const ScheduleFile& report) {
  return report.arena != ArenaFigures() || without_offsets(report.program) != report.program;
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
  const Lines wrong = check_addresses(report.graph, report.program, *report.arena.arena_bytes);
  found.insert(found.end(), wrong.begin(), wrong.end());
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

/// The file is verified against its request, so the request has to be what was solved.
void check_request(const Request& request, const Limits& limits) {
  if (limits_of(request) == limits) return;
  throw InternalError("the request differs from the problem that was solved");
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

/// A bound above its figure by rounding alone is the figure; by more, it fails verification.
double rounded_bound(double bound, double figure) {
  return agree(bound, figure) ? std::min(bound, figure) : bound;
}

/// Wear is spread over all of secondary storage.
std::optional<double> steps_until_worn(const Platform* platform, Bytes written) {
  if (platform == nullptr || written == 0) return std::nullopt;
  if (!platform->erase_cycles || !platform->storage_bytes) return std::nullopt;
  return std::floor(*platform->erase_cycles * static_cast<double>(*platform->storage_bytes) /
                    static_cast<double>(written));
}

}  // namespace

int schedule_version(const ScheduleFile& file) {
  return is_beyond_poet(file) || has_offsets(file) ? 2 : 1;
}

int schedule_version(const ProblemInfo& problem) {
  const bool exact = problem.model && is_exact(*problem.model);
  return exact || (problem.request && is_beyond_poet(*problem.request)) ? 2 : 1;
}

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
          .alignment = model.alignment};
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
  report.bounds = result.bounds;
  if (auto& bound = report.bounds.runtime_lower_bound_seconds) {
    bound = rounded_bound(*bound, replay.runtime_seconds);
  }
  if (report.status == Status::optimal && !objective_is_proven(report)) {
    report.status = Status::feasible;
  }
  report.solver = result.statistics;
  report.graph = problem.graph;
  report.schedule = *result.schedule;
  report.stage_peak_ram_bytes = replay.stage_peak_ram_bytes;
  if (schedule_version(report) > 1) {
    add_exact_figures(report.summary, problem.graph, replay);
    const DeviceMemory memory = device_memory(model, platform);
    if (memory != DeviceMemory()) report.summary.memory = memory;
    report.summary.steps_until_worn = steps_until_worn(platform, replay.written_bytes);
  }
  report.program = to_program(problem.graph, *result.schedule, request.paging_time);
  // The figures are this replay's own, so that no second replay could find fault with them.
  Lines found;
  check_claim(found, report, replay.energy_joules);
  if (found.empty()) return report;
  throw InternalError("the report contradicts its own schedule: " + found.front());
}

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
