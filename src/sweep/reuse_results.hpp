#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/simulate.hpp"
#include "poet/sweep.hpp"

namespace poet {

/// Whether nothing is left to find out: infeasible, or a schedule within this gap of its bound.
bool proven(const SolveResult& result, double gap);

/// What finished points imply for others: a schedule for tight limits is one for looser limits, a
/// bound or proof for loose limits holds for tighter ones. Only points that dominate are asked, so
/// that a result does not depend on the order in which points finish.
///
/// A bound is about one order of the nodes and one set of copies, and holds for points with the
/// same alone. Schedules are replayed each in its own order, with its copies. With
/// OrderKind::search they go from order to order, and `infeasible` is about all orders; else each
/// subject has one order. Likewise if a search chooses copies.
class KnownResults {
 public:
  /// `starts` has schedules by subject that are known beforehand; it may be empty.
  KnownResults(const SweepGrid& grid, const std::vector<SweepPoint>& points,
               const std::vector<std::vector<OrderedSchedule>>& starts,
               OrderKind kind = OrderKind::given, CopyChoice copies = CopyChoice::none);

  /// Takes in a finished point. Throws InputError if its schedule does not replay within the
  /// point's limits to the energy that the outcome states, and InternalError for a proof of
  /// infeasibility if a known schedule fits the limits. A schedule counts also if its outcome
  /// proves nothing.
  void add(int point, const SweepOutcome& outcome);

  /// The point's outcome if it needs no solve: a verdict, or what a point that allows as much has
  /// found. `gap` is what has to be proven. Throws InternalError if it is proven that there is
  /// no schedule, and one is known.
  std::optional<SweepOutcome> outcome_of(int point, double gap) const;

  /// `options` with the best start and bound that points which allow as much have to offer in the
  /// subject's own order.
  SolveOptions options_for(int point, SolveOptions options) const;

  /// Where a search over orders begins: the best schedule that fits the point; without one, the
  /// schedule of the neighbour (of the points that allow as much, the one of most energy), for its
  /// order.
  std::optional<OrderedSchedule> start_for(int point) const;

  /// The best bound of points that allow as much, in one order; 0 without one.
  Joules bound_for(int point, const std::string& order_sha256) const;

 private:
  /// A schedule, and what its replay says.
  struct Known {
    int point = -1;  ///< -1: known beforehand
    OrderedSchedule schedule;
    std::string order_sha256;
    Replay replay;
  };
  struct Proof {
    int point = 0;
    bool infeasible = false;
    Joules lower_bound_joules = 0;
    std::string order_sha256;
  };
  struct OfSubject {
    std::string order_sha256;  ///< of its own order
    std::vector<Known> schedules;
    std::vector<Proof> proofs;
  };

  void add_start(int subject, const OrderedSchedule& start);
  const OfSubject& known_of(int point) const { return subjects_[points_[point].subject]; }
  bool is_about(const std::string& order_sha256, const OfSubject& subject) const;
  bool allows_as_much(const Known& known, int point) const;
  std::optional<SweepOutcome> verdict_on(int point) const;
  void refuse_if_any_fits(int point) const;
  const Known* best_schedule(int point) const;
  const Proof* proof_of_none(int point) const;

  OrderKind kind_;
  CopyChoice copies_;
  const SweepGrid& grid_;
  const std::vector<SweepPoint>& points_;
  std::vector<OfSubject> subjects_;
};

}  // namespace poet
