#include "best_known.hpp"

#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet::bench {
namespace {

/// Sums of the same costs in another order.
constexpr double kTolerance = 1e-9;

/// What one measurement says, and where it is from: the run, and how long it was given.
BestFigures figures_of(const Measurement& m, const std::string& run) {
  const Figures& f = m.figures;
  const std::string from = fmt::format("{}, {:g} s", run, m.time_limit_seconds);
  BestFigures found{.graph_sha256 = m.graph_sha256, .baseline_joules = f.baseline_joules};
  if (f.has_schedule) {
    found.energy_joules = f.energy_joules;
    found.energy_from = from;
  }
  if (f.status == Status::infeasible) {
    found.infeasible = true;
    found.bound_from = from;
  } else if (f.bound_joules > 0) {
    found.bound_joules = f.bound_joules;
    found.bound_from = from;
  }
  return found;
}

bool is_lower(const std::optional<Joules>& found, const std::optional<Joules>& known) {
  return found && (!known || *found < *known);
}

bool is_higher(const std::optional<Joules>& found, const std::optional<Joules>& known) {
  return found && (!known || *found > *known);
}

void take_better(BestFigures& known, const BestFigures& found, BestUpdate& update) {
  if (is_lower(found.energy_joules, known.energy_joules)) {
    known.energy_joules = found.energy_joules;
    known.energy_from = found.energy_from;
    ++update.better_energies;
  }
  if (known.infeasible) return;
  if (found.infeasible || is_higher(found.bound_joules, known.bound_joules)) {
    known.infeasible = found.infeasible;
    known.bound_joules = found.bound_joules;
    known.bound_from = found.bound_from;
    ++update.better_bounds;
  }
}

void improve_by(BestKnown& known, const Measurement& m, const std::string& from,
                BestUpdate& update) {
  if (!m.figures.finished || m.graph_sha256.empty()) return;
  const std::string name = m.instance.name();
  const auto fault = [&](const std::string& what) { update.faults.push_back(name + ": " + what); };
  if (!m.ok()) {
    fault(m.failure);
    return;
  }
  const BestFigures found = figures_of(m, from);
  const auto [entry, is_new] = known.try_emplace(name, found);
  const std::string what = conflict(entry->second, found);
  if (!what.empty()) {
    fault(what);
  } else if (is_new) {
    ++update.new_problems;
  } else {
    take_better(entry->second, found, update);
  }
}

}  // namespace

std::string conflict(const BestFigures& known, const BestFigures& found) {
  if (known.graph_sha256 != found.graph_sha256) {
    return "measured on another graph than the best known; remove its line if that is meant";
  }
  for (const auto& [proof, schedule] :
       {std::pair{&found, &known}, std::pair{&known, &found}, std::pair{&found, &found}}) {
    if (!schedule->energy_joules) continue;
    const Joules energy = *schedule->energy_joules;
    if (proof->infeasible) {
      return fmt::format("proven to have no schedule ({}), but one of {} J is known ({})",
                         proof->bound_from, energy, schedule->energy_from);
    }
    if (proof->bound_joules && *proof->bound_joules > energy * (1 + kTolerance)) {
      return fmt::format("the bound of {} J ({}) is above the energy of {} J ({})",
                         *proof->bound_joules, proof->bound_from, energy, schedule->energy_from);
    }
  }
  return {};
}

BestUpdate improve(BestKnown& known, const std::vector<Measurement>& measurements,
                   const std::string& from) {
  BestKnown better = known;
  BestUpdate update;
  for (const Measurement& m : measurements) improve_by(better, m, from, update);
  if (!update.faults.empty()) return {.faults = std::move(update.faults)};
  known = std::move(better);
  return update;
}

void compare_with(const BestKnown& known, Instance& instance) {
  const auto found = known.find(instance.name());
  if (found == known.end()) return;
  const BestFigures& best = found->second;
  const Problem problem = problem_of(instance);
  if (graph_sha256(problem.graph, problem.limits.paging_time) != best.graph_sha256) {
    throw InputError(instance.name(),
                     "the best known is of another graph; remove its line if that is meant");
  }
  if (!best.energy_joules) return;
  const Joules extra = *best.energy_joules - best.baseline_joules;
  if (instance.best_extra_joules <= 0 || extra < instance.best_extra_joules) {
    instance.best_extra_joules = extra;
  }
}

}  // namespace poet::bench
