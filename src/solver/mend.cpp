#include "solver/mend.hpp"

#include "solver/greedy.hpp"
#include "solver/plan.hpp"

namespace poet {

bool offer_or_mend(SolveState& state, const Schedule& schedule) {
  if (state.offer(schedule)) return true;
  Plan plan(state.problem, schedule);
  descend(plan);
  return plan.feasible() && state.offer(plan.to_schedule());
}

}  // namespace poet
