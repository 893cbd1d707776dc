#include "sweep/limits.hpp"

namespace poet {

Limits limits_of(const SweepSubject& subject, TechniqueSet set, const RuntimeBudget& runtime,
                 Bytes ram_budget_bytes) {
  return {.ram_budget_bytes = ram_budget_bytes,
          .runtime_budget_seconds = resolve(runtime, subject.base),
          .paging = set == TechniqueSet::both || set == TechniqueSet::paging,
          .remat = set == TechniqueSet::both || set == TechniqueSet::remat};
}

bool allows_as_much_otherwise(const Limits& loose, const Limits& tight) {
  return loose.runtime_budget_seconds >= tight.runtime_budget_seconds &&
         (loose.paging || !tight.paging) && (loose.remat || !tight.remat);
}

bool allows_as_much(const Limits& loose, const Limits& tight) {
  return loose.ram_budget_bytes >= tight.ram_budget_bytes && allows_as_much_otherwise(loose, tight);
}

}  // namespace poet
