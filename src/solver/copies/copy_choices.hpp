#pragma once

#include <functional>
#include <vector>

#include "poet/problem.hpp"
#include "solver/search/plan_judge.hpp"

namespace poet {

/// By candidate, whether the step keeps a copy of its tensor for gradients.
using CopySet = std::vector<char>;

/// The sets that a search chooses from, and the problem of each.
struct CopyChoices {
  /// By candidate, ascending: its tensor's node in the graph without copies.
  std::vector<int> tensors;
  /// By candidate: a number that candidates of one kind of layer share, from 0 on.
  std::vector<int> kinds;
  /// The graph without copies, with a node right behind each tensor of the set. The limits are the
  /// same for all sets.
  std::function<Problem(const CopySet&)> problem_of;

  int size() const { return static_cast<int>(tensors.size()); }
};

/// A set as a problem. Nodes have the numbers that they have in the graph with all copies; a tensor
/// stands for a copy that the set does not have.
struct CopyProblem {
  CopySet set;
  Problem problem;
  NodeNumbers numbers;
  Joules base_joules = 0;  ///< to compute every node once
};

CopyProblem problem_of_set(const CopyChoices& choices, CopySet set);

/// The set that prices of RAM suggest: a price for each stage, at which every tensor is kept, comes
/// back, or has a copy, by what is cheapest for it alone, and which rises as long as that takes
/// more RAM than there is.
CopySet set_by_prices(const CopyChoices& choices);

}  // namespace poet
