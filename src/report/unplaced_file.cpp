// The one place where a result becomes a file. A file is never written before it would pass its own
// verification: the schedule is replayed, the figures come from that replay, and what the solver
// claimed is compared with them. A difference is a bug of ours (InternalError), never something
// that a reader has to find. Bounds may be above their figure by rounding, and are brought down to
// it then.

#include "report/unplaced_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "model/chip_ram.hpp"
#include "poet/error.hpp"
#include "report/claim.hpp"
#include "report/fields.hpp"
#include "report/file_order.hpp"
#include "report/schedule_version.hpp"
#include "report/summary.hpp"

namespace poet {
namespace {

/// The file is verified against its request, so the request has to be what was solved.
void check_request(const Request& request, const Limits& limits) {
  if (request.limits == limits) return;
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

}  // namespace

/// Wear is spread over all of secondary storage.
std::optional<double> steps_until_worn(const Platform* platform, Bytes written) {
  if (platform == nullptr || written == 0) return std::nullopt;
  if (!platform->erase_cycles || !platform->storage_bytes) return std::nullopt;
  return std::floor(*platform->erase_cycles * static_cast<double>(*platform->storage_bytes) /
                    static_cast<double>(written));
}

// The status is lowered if what was minimised first is not proven, as `optimal` is about both.
ScheduleFile make_unplaced_file(const Model& model, const Platform* platform,
                                const Problem& problem, const Request& request,
                                const SolveResult& result) {
  if (!result.schedule) throw InternalError("a report needs a schedule, and there is none");
  check_request(request, problem.limits);
  const Replay replay = simulate(problem.graph, *result.schedule, problem.limits);
  check_replay(replay, result);

  ScheduleFile file;
  file.code = result.interrupted ? ExitCode::interrupted : ExitCode::ok;
  file.status = result.status;
  file.model = model_info(model);
  // The graph is what the schedule is about; a caller may bring a model without its nodes.
  file.model.node_count = problem.graph.size();
  file.model.forward_node_count = problem.graph.first_backward;
  if (platform != nullptr) file.platform = platform_info(*platform);
  file.request = request;
  file.summary = summarise(problem.graph, replay, request.limits.ram_budget_bytes,
                           rounded_bound(result.lower_bound_joules, replay.energy_joules));
  file.bounds = result.bounds;
  if (auto& bound = file.bounds.runtime_lower_bound_seconds) {
    bound = rounded_bound(*bound, replay.runtime_seconds);
  }
  if (file.status == Status::optimal && !objective_is_proven(file)) {
    file.status = Status::feasible;
  }
  file.solver = result.statistics;
  if (file.summary.lower_bound_joules <= file.summary.baseline_energy_joules) {
    file.solver.bound_by = "baseline";
  } else if (file.solver.bound_by.empty()) {
    file.solver.bound_by = kGivenBound;
  }
  file.graph = problem.graph;
  if (file.model.order.empty()) {
    // In the given order nothing was chosen.
    for (Node& node : file.graph.nodes) node.in_place_choices.clear();
  } else {
    if (file.request.settings.order == OrderKind::given) {
      file.request.settings.order = OrderKind::stated;  // by a caller that has put the nodes so
    }
    file.model.graph_sha256 = given_graph_sha256(file);
    file.model.order_sha256 = graph_sha256(file.graph, request.limits.paging_time);
  }
  file.schedule = *result.schedule;
  file.stage_peak_ram_bytes = replay.stage_peak_ram_bytes;
  if (is_beyond_poet(file)) {
    add_exact_figures(file.summary, problem.graph, replay);
    const DeviceMemory memory = device_memory(model, platform);
    if (memory != DeviceMemory()) file.summary.memory = memory;
    file.summary.steps_until_worn = steps_until_worn(platform, replay.written_bytes);
  }
  file.program = to_program(problem.graph, *result.schedule, request.limits.paging_time);
  // The figures are this replay's own, so that no second replay could find fault with them.
  std::vector<std::string> found = order_findings(file);
  check_claim(found, file, replay.energy_joules);
  if (found.empty()) return file;
  throw InternalError("the report contradicts its own schedule: " + found.front());
}

// What a tighter budget proves does not hold for the file's budget, while the file's own bounds
// hold for every schedule within it.
ScheduleFile with_other_schedule(const ScheduleFile& file, const SolveResult& result) {
  const Problem problem{.graph = file.graph, .limits = file.request.limits};
  SolveResult known = result;
  known.lower_bound_joules = file.summary.lower_bound_joules;
  known.bounds = file.bounds;
  known.statistics.bound_by = file.solver.bound_by;
  const bool is_proven =
      relative_gap(result.energy_joules, known.lower_bound_joules) <= file.request.settings.gap;
  known.status = is_proven ? Status::optimal : Status::feasible;
  Model in_order;
  in_order.order = file.model.order;
  ScheduleFile other = make_unplaced_file(in_order, nullptr, problem, file.request, known);
  other.model = file.model;
  other.platform = file.platform;
  other.bought = file.bought;
  other.copied = file.copied;
  other.certificate = file.certificate;
  if (!is_beyond_poet(other)) return other;
  const Replay replay = simulate(problem.graph, other.schedule, problem.limits);
  add_exact_figures(other.summary, problem.graph, replay);
  other.summary.memory = file.summary.memory;
  add_arena(other.summary.memory, {});  // until it is placed
  const Replay before = simulate(problem.graph, file.schedule, problem.limits);
  // The platform is not at hand: how long storage lasts is known if as much is written.
  if (replay.written_bytes == before.written_bytes) {
    other.summary.steps_until_worn = file.summary.steps_until_worn;
  }
  return other;
}

}  // namespace poet
