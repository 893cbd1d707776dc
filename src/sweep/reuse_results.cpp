// What a point may take over from others before it is solved. Three things are known of finished
// points: schedules, bounds, and proofs of infeasibility. Each is looked up among the points that
// allow as much, all of which have been finished before this one starts; a point that allows less
// may have a schedule too, but whether it is finished depends on luck, and results would depend on
// it. Those are shared at the end (share_results.cpp).
//
// Every schedule that arrives is replayed, whoever sends it. A proof cannot be, so it is held
// against all schedules that are known: a contradiction is an error and never settled in favour of
// one side.
//
// Looking up goes through all points of a subject, which is quadratic in a sweep and costs nothing
// beside the solves.

#include "sweep/reuse_results.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "model/chip_ram.hpp"
#include "poet/error.hpp"
#include "question/choose_copies.hpp"
#include "question/choose_order.hpp"
#include "report/summary.hpp"
#include "solver/incumbent.hpp"
#include "sweep/dominance.hpp"
#include "sweep/ordered_subject.hpp"

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
                           const std::vector<std::vector<OrderedSchedule>>& starts, OrderKind kind,
                           CopyChoice copies)
    : kind_(kind), copies_(copies), grid_(grid), points_(points), subjects_(grid.subjects.size()) {
  for (std::size_t s = 0; s < subjects_.size(); ++s) {
    subjects_[s].order_sha256 = grid.subjects[s].order_sha256();
  }
  for (std::size_t s = 0; s < starts.size(); ++s) {
    for (const OrderedSchedule& start : starts[s]) add_start(static_cast<int>(s), start);
  }
}

/// Another build's order, or another model's, may be none here.
void KnownResults::add_start(int subject, const OrderedSchedule& start) {
  try {
    const OrderedSubject in_order(grid_.subjects[subject], start.order, start.copies);
    Replay replay = replay_without_limits(in_order.get().graph, start.schedule,
                                          in_order.get().limits.paging_time);
    if (!replay.valid()) return;
    subjects_[subject].schedules.push_back({.schedule = start,
                                            .order_sha256 = in_order.get().order_sha256(),
                                            .replay = std::move(replay)});
  } catch (const InputError&) {
    return;
  }
}

void KnownResults::add(int point, const SweepOutcome& outcome) {
  if (!outcome.failure.empty()) return;
  const SweepPoint& where = points_[point];
  const SolveResult& result = outcome.result;
  OfSubject& of_subject = subjects_[where.subject];
  const OrderedSubject in_order(grid_.subjects[where.subject], outcome.order, outcome.copies);
  const std::string order_sha256 = in_order.get().order_sha256();
  if (result.status == Status::infeasible) refuse_if_any_fits(point);
  of_subject.proofs.push_back({.point = point,
                               .infeasible = result.status == Status::infeasible,
                               .lower_bound_joules = result.lower_bound_joules,
                               .order_sha256 = order_sha256});
  if (!result.schedule) return;
  Replay replay = simulate(in_order.get().graph, *result.schedule, where.limits);
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
  of_subject.schedules.push_back({.point = point,
                                  .schedule = {*result.schedule, outcome.order, outcome.copies},
                                  .order_sha256 = order_sha256,
                                  .replay = std::move(replay)});
}

/// Whether what is in an order concerns a point of this subject.
bool KnownResults::is_about(const std::string& order_sha256, const OfSubject& subject) const {
  return kind_ == OrderKind::search || copies_ != CopyChoice::none ||
         order_sha256 == subject.order_sha256;
}

void KnownResults::refuse_if_any_fits(int point) const {
  const Known* against = nullptr;
  for (const Known& known : known_of(point).schedules) {
    if (!is_about(known.order_sha256, known_of(point))) continue;
    // Naming a point helps the user more than naming a start.
    if (against != nullptr && against->point >= 0) break;
    if (fits(known.replay, points_[point].limits)) against = &known;
  }
  if (against != nullptr) contradicted(point, against->point);
}

bool KnownResults::allows_as_much(const Known& known, int point) const {
  return is_about(known.order_sha256, known_of(point)) &&
         (known.point < 0 || dominates(points_[known.point].limits, points_[point].limits));
}

const KnownResults::Known* KnownResults::best_schedule(int point) const {
  const Known* best = nullptr;
  for (const Known& known : known_of(point).schedules) {
    if (!allows_as_much(known, point) || !fits(known.replay, points_[point].limits)) continue;
    // Equal energies: the point with the lower number, whoever was finished first.
    const auto rank = [](const Known& k) { return std::pair(k.replay.energy_joules, k.point); };
    if (best == nullptr || rank(known) < rank(*best)) best = &known;
  }
  return best;
}

const KnownResults::Proof* KnownResults::proof_of_none(int point) const {
  const Proof* best = nullptr;
  for (const Proof& proof : known_of(point).proofs) {
    if (!proof.infeasible || !is_about(proof.order_sha256, known_of(point))) continue;
    if (!dominates(points_[proof.point].limits, points_[point].limits)) continue;
    const auto rank = [](const Proof& p) { return std::pair(p.lower_bound_joules, -p.point); };
    if (best == nullptr || rank(*best) < rank(proof)) best = &proof;
  }
  return best;
}

Joules KnownResults::bound_for(int point, const std::string& order_sha256) const {
  Joules best = 0;
  for (const Proof& proof : known_of(point).proofs) {
    if (proof.infeasible || proof.order_sha256 != order_sha256) continue;
    if (!dominates(points_[proof.point].limits, points_[point].limits)) continue;
    best = std::max(best, proof.lower_bound_joules);
  }
  return best;
}

/// What needs no solver. That no order has a schedule is more than that the given one has none.
std::optional<SweepOutcome> KnownResults::verdict_on(int point) const {
  const SweepPoint& where = points_[point];
  const Subject& subject = grid_.subjects[where.subject];
  const Problem problem{.graph = subject.graph, .limits = where.limits};
  const Verdict::Kind verdict = instant_verdict(problem, subject.base).kind;
  if (verdict == Verdict::Kind::open) return std::nullopt;
  SweepOutcome known{.origin = SweepOutcome::Origin::verdict};
  const bool has_copies = copies_ != CopyChoice::none;
  if (verdict == Verdict::Kind::infeasible && (kind_ == OrderKind::search || has_copies)) {
    std::optional<SolveResult> refused =
        has_copies ? infeasible_with_any_copies(subject, where.limits, copies_)
                   : infeasible_in_any_order(subject, where.limits);
    if (!refused) return std::nullopt;
    known.result = std::move(*refused);
    known.result.statistics.formulation = "none";
  } else {
    known.result = solve(problem);
  }
  // Only `chip` comes to no bytes at all, and then tensors are not the reason.
  if (where.limits.ram_budget_bytes == 0 && subject.platform) {
    known.result.reason = no_room_in_chip(subject.model, *subject.platform);
    known.result.node.reset();
    known.result.smallest_ram_bytes.reset();
  }
  return known;
}

std::optional<SweepOutcome> KnownResults::outcome_of(int point, double gap) const {
  if (auto known = verdict_on(point)) return known;
  SweepOutcome outcome{.origin = SweepOutcome::Origin::reused};
  outcome.result.statistics.formulation = "none";
  const Known* known = best_schedule(point);
  if (const Proof* proof = proof_of_none(point)) {
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
  const Joules bound = std::max(grid_.subjects[points_[point].subject].base.energy_joules,
                                bound_for(point, known->order_sha256));
  if (relative_gap(energy, bound) > gap + kProofTolerance) return std::nullopt;
  outcome.origin_point = known->point;
  outcome.order = known->schedule.order;
  outcome.copies = known->schedule.copies;
  outcome.result.status = Status::optimal;
  outcome.result.schedule = known->schedule.schedule;
  outcome.result.energy_joules = energy;
  outcome.result.lower_bound_joules = std::min(bound, energy);
  return outcome;
}

SolveOptions KnownResults::options_for(int point, SolveOptions options) const {
  const std::string& own = known_of(point).order_sha256;
  const Known* known = best_schedule(point);
  if (known != nullptr && known->order_sha256 == own) options.start = known->schedule.schedule;
  if (proof_of_none(point) == nullptr) {
    options.known_bound_joules = std::max(options.known_bound_joules, bound_for(point, own));
  }
  return options;
}

// A schedule that does not fit is of use for its order: the neighbour with the most energy is the
// one whose limits are the tightest, and so the nearest.
std::optional<OrderedSchedule> KnownResults::start_for(int point) const {
  const Known* start = best_schedule(point);
  if (start != nullptr) return start->schedule;
  for (const Known& known : known_of(point).schedules) {
    if (!allows_as_much(known, point)) continue;
    const auto rank = [](const Known& k) { return std::pair(-k.replay.energy_joules, k.point); };
    if (start == nullptr || rank(known) < rank(*start)) start = &known;
  }
  if (start == nullptr) return std::nullopt;
  return start->schedule;
}

}  // namespace poet
