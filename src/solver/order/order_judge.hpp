#pragma once

#include <cstdint>
#include <functional>

#include "poet/order.hpp"
#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "solver/search/plan_judge.hpp"

namespace poet {

/// Judges orders by what a short search for schedules comes to in them.
class OrderJudge {
 public:
  /// `problem` is in the given order.
  explicit OrderJudge(const Problem& problem);

  /// What judge_plan() makes of a plan in this order.
  NodePlan judge(const NodeOrder& order, const NodePlan& from, std::int64_t moves,
                 std::uint64_t seed, const std::function<bool()>& stop) const;

  /// A schedule in an order as a plan.
  NodePlan plan_of(const NodeOrder& order, const Schedule& schedule) const;
  /// A plan that fits as a schedule in its order.
  Schedule schedule_of(const NodeOrder& order, const NodePlan& plan) const;

 private:
  Problem in_order(const NodeOrder& order) const;

  const Problem& problem_;
};

}  // namespace poet
