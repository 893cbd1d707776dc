#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "baselines/attempt.hpp"
#include "poet/problem.hpp"
#include "poet/sweep.hpp"

namespace poet {

/// What a schedule of ours is compared with, in the order of tables; `poet` is ours, and so is
/// `poet_ordered`, which chooses the order of the nodes as well.
enum class Method {
  keep_all,
  chen_sqrt,
  chen_greedy,
  budget_greedy,
  budget_dp,
  page_all,
  look_ahead,
  capuchin_like,
  dtr_like,
  checkmate,
  paging_only,
  order_only,
  int8_all,
  poet,
  poet_ordered,
};

/// A method as tables and files state it.
struct MethodInfo {
  Method method;
  std::string_view name;
  TechniqueSet techniques;   ///< what its schedules may use
  std::string_view source;   ///< the paper and its part
  std::string_view changes;  ///< what is not as the paper has it
  /// Absent for those that solve() answers, perhaps of another graph, or a search over orders.
  Attempt (*run)(const Problem&);
};

/// All methods, in the order of the enumerators.
std::span<const MethodInfo> all_methods();
const MethodInfo& info_of(Method method);

/// A list of names with commas, or `all`. Throws InputError for an empty list or element, an
/// unknown name, and one that is there twice.
std::vector<Method> parse_methods(std::string_view text);

// The methods that a schedule of ours is compared with, each in a file that names its paper and
// says how it becomes stages. They are given the limits of the problem; what they make may exceed
// them.

Attempt keep_all(const Problem& problem);
Attempt page_all(const Problem& problem);
Attempt chen_sqrt(const Problem& problem);
Attempt chen_greedy(const Problem& problem);
Attempt budget_greedy(const Problem& problem);
Attempt budget_dp(const Problem& problem);
Attempt look_ahead(const Problem& problem);
Attempt capuchin_like(const Problem& problem);
Attempt dtr_like(const Problem& problem);

}  // namespace poet
