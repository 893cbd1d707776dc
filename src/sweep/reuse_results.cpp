#include "sweep/reuse_results.hpp"

#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "model/device_memory_terms.hpp"
#include "poet/error.hpp"
#include "report/summary.hpp"
#include "solver/incumbent.hpp"
#include "sweep/dominance.hpp"

namespace poet {
namespace {

/// `point 3 is proven infeasible, but the schedule of point 7 fits its limits`
[[noreturn]] void contradicted(int infeasible, int schedule) {
  const std::string which = schedule >= 0
                                ? fmt::format("the schedule of point {}", schedule)
                                : "a schedule of the search for min, or of an earlier run,";
  throw InternalError(
      fmt::format("point {} is proven infeasible, but {} fits its limits", infeasible, which));
}

}  // namespace

bool proven(const SolveResult& result, double gap) {
  if (result.status == Status::infeasible) return true;
  return result.schedule &&
         relative_gap(result.energy_joules, result.lower_bound_joules) <= gap + kProofTolerance;
}

KnownResults::KnownResults(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                           const std::vector<std::vector<Schedule>>& starts)
    : grid_(grid), points_(points), subjects_(grid.subjects.size()) {
  for (std::size_t s = 0; s < starts.size(); ++s) {
    for (const Schedule& start : starts[s]) {
      Replay replay =
          replay_without_limits(grid.subjects[s].graph, start, grid.subjects[s].limits.paging_time);
      if (!replay.valid()) continue;
      subjects_[s].schedules.push_back({.schedule = start, .replay = std::move(replay)});
    }
  }
}

void KnownResults::add(int point, const SweepOutcome& outcome) {
  if (!outcome.failure.empty()) return;
  const SweepPoint& where = points_[point];
  const SolveResult& result = outcome.result;
  OfSubject& of_subject = subjects_[where.subject];
  if (result.status == Status::infeasible) refuse_if_any_fits(point);
  of_subject.proofs.push_back({.point = point,
                               .infeasible = result.status == Status::infeasible,
                               .lower_bound_joules = result.lower_bound_joules});
  if (!result.schedule) return;
  Replay replay = simulate(grid_.subjects[where.subject].graph, *result.schedule, where.limits);
  if (!replay.valid()) {
    throw InputError(fmt::format("the schedule of point {} is not valid: {}", point,
                                 replay.violations.front().message));
  }
  if (!agree(replay.energy_joules, result.energy_joules)) {
    const auto [needs, stated] = distinct(replay.energy_joules, result.energy_joules);
    throw InputError(fmt::format("the schedule of point {} needs {} J; {} J are stated for it",
                                 point, needs, stated));
  }
  if (result.lower_bound_joules > replay.energy_joules * (1 + kProofTolerance)) {
    const auto [needs, bound] = distinct(replay.energy_joules, result.lower_bound_joules);
    throw InputError(fmt::format("the schedule of point {} needs {} J; a bound of {} J is stated",
                                 point, needs, bound));
  }
  of_subject.schedules.push_back(
      {.point = point, .schedule = *result.schedule, .replay = std::move(replay)});
}

void KnownResults::refuse_if_any_fits(int point) const {
  const Known* against = nullptr;
  for (const Known& known : subjects_[points_[point].subject].schedules) {
    // Naming a point helps the user more than naming a start.
    if (against != nullptr && against->point >= 0) break;
    if (fits(known.replay, points_[point].limits)) against = &known;
  }
  if (against != nullptr) contradicted(point, against->point);
}

const KnownResults::Known* KnownResults::best_schedule(int point) const {
  const Limits& limits = points_[point].limits;
  const Known* best = nullptr;
  for (const Known& known : subjects_[points_[point].subject].schedules) {
    if (known.point >= 0 && !dominates(points_[known.point].limits, limits)) continue;
    if (!fits(known.replay, limits)) continue;
    // Equal energies: the point with the lower number, whoever was finished first.
    const auto rank = [](const Known& k) { return std::pair(k.replay.energy_joules, k.point); };
    if (best == nullptr || rank(known) < rank(*best)) best = &known;
  }
  return best;
}

const KnownResults::Proof* KnownResults::best_proof(int point) const {
  const Limits& limits = points_[point].limits;
  const Proof* best = nullptr;
  for (const Proof& proof : subjects_[points_[point].subject].proofs) {
    if (!dominates(points_[proof.point].limits, limits)) continue;
    const auto rank = [](const Proof& p) {
      return std::tuple(p.infeasible, p.lower_bound_joules, -p.point);
    };
    if (best == nullptr || rank(*best) < rank(proof)) best = &proof;
  }
  return best;
}

std::optional<SweepOutcome> KnownResults::outcome_of(int point, double gap) const {
  const SweepPoint& where = points_[point];
  const Subject& subject = grid_.subjects[where.subject];
  const Problem problem{.graph = subject.graph, .limits = where.limits};
  if (instant_verdict(problem, subject.base).kind != Verdict::Kind::open) {
    SweepOutcome known{.result = solve(problem), .origin = SweepOutcome::Origin::verdict};
    // Only `chip` comes to no bytes at all, and then tensors are not the reason.
    if (where.limits.ram_budget_bytes == 0 && subject.platform) {
      known.result.reason = no_room_in_chip(subject.model, *subject.platform);
      known.result.node.reset();
      known.result.smallest_ram_bytes.reset();
    }
    return known;
  }
  SweepOutcome outcome{.origin = SweepOutcome::Origin::reused};
  outcome.result.statistics.formulation = "none";
  const Known* known = best_schedule(point);
  const Proof* proof = best_proof(point);
  if (proof != nullptr && proof->infeasible) {
    // This point's limits lie within limits that are proven infeasible.
    if (known != nullptr) contradicted(proof->point, known->point);
    outcome.origin_point = proof->point;
    outcome.result.status = Status::infeasible;
    outcome.result.reason =
        fmt::format("point {}, which allows as much or more, is proven infeasible", proof->point);
    return outcome;
  }
  if (known == nullptr || known->point < 0) return std::nullopt;
  const Joules energy = known->replay.energy_joules;
  const Joules bound = std::max(subject.base.energy_joules,
                                proof != nullptr ? proof->lower_bound_joules : Joules{0});
  if (relative_gap(energy, bound) > gap + kProofTolerance) return std::nullopt;
  outcome.origin_point = known->point;
  outcome.result.status = Status::optimal;
  outcome.result.schedule = known->schedule;
  outcome.result.energy_joules = energy;
  outcome.result.lower_bound_joules = std::min(bound, energy);
  return outcome;
}

SolveOptions KnownResults::options_for(int point, SolveOptions options) const {
  if (const Known* known = best_schedule(point)) options.start = known->schedule;
  const Proof* proof = best_proof(point);
  if (proof != nullptr && !proof->infeasible) {
    options.known_bound_joules = proof->lower_bound_joules;
  }
  return options;
}

}  // namespace poet
