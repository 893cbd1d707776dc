#include "solver/order/order_judge.hpp"

namespace poet {
namespace {

NodeNumbers numbers_in(const NodeOrder& order) {
  return {.number = order, .place = places_of(order)};
}

}  // namespace

OrderJudge::OrderJudge(const Problem& problem) : problem_(problem) {}

Problem OrderJudge::in_order(const NodeOrder& order) const {
  return {.graph = permuted(problem_.graph, order), .limits = problem_.limits};
}

NodePlan OrderJudge::judge(const NodeOrder& order, const NodePlan& from, std::int64_t moves,
                           std::uint64_t seed, const std::function<bool()>& stop) const {
  return judge_plan(in_order(order), numbers_in(order), from, moves, seed, stop);
}

NodePlan OrderJudge::plan_of(const NodeOrder& order, const Schedule& schedule) const {
  return poet::plan_of(in_order(order), numbers_in(order), schedule);
}

Schedule OrderJudge::schedule_of(const NodeOrder& order, const NodePlan& plan) const {
  return poet::schedule_of(in_order(order), numbers_in(order), plan);
}

}  // namespace poet
