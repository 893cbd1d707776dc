#include "solver/mend.hpp"

#include "solver/search/greedy.hpp"
#include "solver/search/plan.hpp"

namespace poet {

bool offer_or_mend(SolveState& state, const Schedule& schedule) {
  if (state.offer(schedule)) return true;
  Plan plan(state.problem, schedule);
  descend(plan, [&] { return state.stopping(); });
  return plan.feasible() && state.offer(plan.to_schedule());
}

}  // namespace poet
