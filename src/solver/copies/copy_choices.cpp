#include "solver/copies/copy_choices.hpp"

#include <utility>

namespace poet {
namespace {

NodeNumbers numbers_of_set(const CopyChoices& choices, const CopySet& set, int nodes) {
  NodeNumbers numbers;
  int candidate = 0;
  int without = 0;  // the node's place in the graph without copies
  for (int node = 0; node < nodes; ++without) {
    const int tensor = node;
    numbers.number.push_back(static_cast<int>(numbers.place.size()));
    numbers.place.push_back(node++);
    if (candidate == choices.size() || choices.tensors[candidate] != without) continue;
    if (set[candidate++]) {
      numbers.number.push_back(static_cast<int>(numbers.place.size()));
      numbers.place.push_back(node++);
    } else {
      numbers.place.push_back(tensor);
    }
  }
  return numbers;
}

}  // namespace

CopyProblem problem_of_set(const CopyChoices& choices, CopySet set) {
  CopyProblem made{.set = std::move(set)};
  made.problem = choices.problem_of(made.set);
  made.numbers = numbers_of_set(choices, made.set, made.problem.graph.size());
  for (const Node& node : made.problem.graph.nodes) made.base_joules += node.energy_joules;
  return made;
}

}  // namespace poet
