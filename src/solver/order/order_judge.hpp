#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "poet/order.hpp"
#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "solver/search/timeline.hpp"

namespace poet {

/// Something that a plan does beyond the baseline, as in Entry, but by the node whose stage it is
/// in: so a plan survives a change of the order.
struct PlannedEntry {
  enum class Kind { computation, page_in, late_page_out };
  int node = 0;
  int stage_of = 0;
  Kind kind = Kind::computation;
};

/// A plan in some order, by nodes of the given order.
struct OrderPlan {
  std::vector<PlannedEntry> entries;
  /// What is over the budgets, in units of energy; 0 if the plan is a schedule.
  double trouble = 0;
  Joules extra_joules = 0;  ///< above the baseline's

  bool fits() const { return trouble == 0; }
};

/// Judges orders by what a short search for schedules comes to in them.
class OrderJudge {
 public:
  /// `problem` is in the given order.
  explicit OrderJudge(const Problem& problem);

  /// The plan of another order in this one, repaired and improved by so many moves: from a plan
  /// that fits to one of less energy, or else to one of less violation. What comes of it depends on
  /// the arguments alone, unless `stop` ends the search early.
  OrderPlan judge(const NodeOrder& order, const OrderPlan& from, std::int64_t moves,
                  std::uint64_t seed, const std::function<bool()>& stop) const;

  /// A schedule in an order as a plan.
  OrderPlan plan_of(const NodeOrder& order, const Schedule& schedule) const;
  /// A plan that fits as a schedule in its order.
  Schedule schedule_of(const NodeOrder& order, const OrderPlan& plan) const;

 private:
  Problem in_order(const NodeOrder& order) const;

  const Problem& problem_;
};

}  // namespace poet
