// The figures of a schedule file. They are sums of a replay and of the baseline's replay, so that
// `verify` can compute them again from the file alone.

#include "report/summary.hpp"

#include <limits>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/problem.hpp"
#include "report/fields.hpp"

namespace poet {

Replay replay_baseline(const Graph& graph) {
  return simulate(graph, baseline(graph).schedule,
                  {.ram_budget_bytes = std::numeric_limits<Bytes>::max(),
                   .runtime_budget_seconds = std::numeric_limits<double>::infinity()});
}

// A move reads and writes each byte, hence the factor of 2. Moves are priced apart from the
// schedule's energy, as the solver knows nothing of them.
void price_moves(ArenaFigures& figures, const Platform& platform) {
  if (!figures.moved_bytes || !platform.memory_bytes_per_second) return;
  const Seconds seconds =
      2 * static_cast<double>(*figures.moved_bytes) / *platform.memory_bytes_per_second;
  figures.moved_seconds = seconds;
  if (platform.cpu_power_watts > 0) figures.moved_joules = seconds * platform.cpu_power_watts;
}

double runtime_ratio(const RuntimeBudget& stated, const Baseline& base) {
  // A ratio that the user stated stays as stated; multiplied and divided it would not.
  if (const Ratio* ratio = std::get_if<Ratio>(&stated)) return ratio->value;
  return base.runtime_seconds > 0 ? std::get<Seconds>(stated) / base.runtime_seconds : 0;
}

Request make_request(const Limits& limits, const RuntimeBudget& stated, const Baseline& base,
                     const SolveSettings& settings) {
  return {
      .limits = limits, .runtime_budget_ratio = runtime_ratio(stated, base), .settings = settings};
}

/// All figures come from replays, none from the solver: a summary cannot say more than the judge
/// saw.
Summary summarise(const Graph& graph, const Replay& replay, Bytes ram_budget_bytes,
                  Joules lower_bound_joules) {
  const Replay base = replay_baseline(graph);
  const Joules energy = replay.energy_joules;
  return {
      .energy_joules = energy,
      .compute_energy_joules = replay.compute_energy_joules,
      .page_in_energy_joules = replay.page_in_energy_joules,
      .page_out_energy_joules = replay.page_out_energy_joules,
      .baseline_energy_joules = base.energy_joules,
      .energy_overhead = base.energy_joules > 0 ? energy / base.energy_joules - 1 : 0,
      .lower_bound_joules = lower_bound_joules,
      .gap = energy > 0 ? (energy - lower_bound_joules) / energy : 0,
      .gap_extra = relative_extra_gap(energy, lower_bound_joules, base.energy_joules),
      .runtime_seconds = replay.runtime_seconds,
      .runtime_ratio = base.runtime_seconds > 0 ? replay.runtime_seconds / base.runtime_seconds : 1,
      .paging_seconds = replay.paging_seconds,
      .peak_ram_bytes = replay.peak_ram_bytes,
      .ram_budget_bytes = ram_budget_bytes,
      .baseline_peak_ram_bytes = base.peak_ram_bytes,
      .recompute_count = replay.recompute_count,
      .page_out_count = replay.page_out_count,
      .page_in_count = replay.page_in_count,
      .page_out_bytes = replay.page_out_bytes,
      .page_in_bytes = replay.page_in_bytes,
  };
}

void add_exact_figures(Summary& summary, const Graph& graph, const Replay& replay) {
  const Seconds once = baseline(graph).runtime_seconds;
  summary.compute_seconds = replay.compute_seconds;
  summary.compute_runtime_ratio = once > 0 ? replay.compute_seconds / once : 1;
  summary.peak_storage_bytes = replay.storage_bytes;
}

void add_proof(ProblemInfo& problem, const SolveResult& result, const Graph& graph) {
  if (result.node) problem.node = graph.nodes[*result.node].name;
  problem.smallest_ram_bytes = result.smallest_ram_bytes;
  problem.smallest_ram_is_exact = result.smallest_ram_is_exact;
}

std::string order_bought(const ScheduleFile& file) {
  if (file.request.settings.order != OrderKind::search) return {};
  if (file.model.order.empty())
    return "the given order is the best that the search of orders found";
  if (file.request.settings.objective != Objective::energy) {
    return "the order of nodes was chosen, and is not proven best";
  }
  const std::optional<Joules>& given = file.bought.given_order_energy_joules;
  if (!given)
    return "in the given order no schedule was found; the order is chosen, not proven best";
  const Joules base = file.summary.baseline_energy_joules;
  const Joules saved = *given - file.summary.energy_joules;
  return fmt::format(
      "the order of nodes that was chosen saves {} against the best schedule found in the given "
      "order, {:.1f} % of the extra energy; the order is not proven best",
      format_joules(saved), *given > base ? 100 * saved / (*given - base) : 0.0);
}

std::string copies_bought(const ScheduleFile& file) {
  if (file.request.settings.copies == CopyChoice::none) return {};
  const std::vector<std::string>& tensors = file.model.copies.tensors;
  if (tensors.empty()) return "the search found no copies that pay; no bound is about all sets";
  Bytes copied = 0;
  Bytes whole = 0;
  for (const Node& node : file.graph.nodes) {
    if (!node.op.starts_with("copy_")) continue;
    copied += node.bytes;
    whole += file.graph.nodes[node.inputs.front()].bytes;
  }
  std::string text = fmt::format("gradients read {} copies of {} tensors, {} in the place of {}",
                                 name_of(file.request.settings.copies), tensors.size(),
                                 format_bytes(copied), format_bytes(whole));
  const Joules base = file.copied.uncopied_baseline_joules.value_or(0);
  if (file.request.settings.objective == Objective::energy && base > 0) {
    text += fmt::format("; {} over the baseline without copies",
                        change_text(file.summary.energy_joules / base - 1));
    const std::optional<Joules>& without = file.copied.uncopied_energy_joules;
    text += without ? fmt::format(", {} with the best schedule found without",
                                  change_text(*without / base - 1))
                    : ", and without copies no schedule was found";
  }
  return text + "; bound and proof are about these copies, which are not proven best";
}

/// An interrupt that only ends the refining takes nothing from a proof.
/// Statuses and exit statuses are not one to one: `feasible` is a failure only with
/// --require-optimal, and `unknown` is one of the solver if CBC crashed before there was any
/// schedule.
ExitCode exit_code_of(const SolveResult& result, bool require_optimal) {
  const bool proven = result.status == Status::optimal || result.status == Status::infeasible;
  if (result.interrupted && !proven) return ExitCode::interrupted;
  switch (result.status) {
    case Status::optimal:
      return ExitCode::ok;
    case Status::feasible:
      return require_optimal ? ExitCode::requirement : ExitCode::ok;
    case Status::infeasible:
      return ExitCode::infeasible;
    case Status::unknown:
      break;
  }
  return result.solver_failed ? ExitCode::internal : ExitCode::limit;
}

std::string explain(const SolveResult& result) {
  std::string text = result.reason;
  if (!result.smallest_ram_bytes) return text;
  text += result.smallest_ram_is_exact
              ? fmt::format("; the smallest RAM budget that works is {} bytes",
                            *result.smallest_ram_bytes)
              : fmt::format("; no RAM budget below {} bytes can work (a lower bound)",
                            *result.smallest_ram_bytes);
  return text;
}

std::string_view status_name(Status status) {
  return name_of(status);
}

}  // namespace poet
