#pragma once

#include "poet/sweep.hpp"

namespace poet {

/// A point's budgets in absolute terms.
Limits limits_of(const SweepSubject& subject, TechniqueSet set, const RuntimeBudget& runtime,
                 Bytes ram_budget_bytes);

/// Whether every schedule within `tight` is one within `loose`. Their RAM budgets apart in
/// `allows_as_much_otherwise`.
bool allows_as_much(const Limits& loose, const Limits& tight);
bool allows_as_much_otherwise(const Limits& loose, const Limits& tight);

}  // namespace poet
