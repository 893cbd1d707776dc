#pragma once

#include <vector>

#include "sweep/difference.hpp"
#include "sweep/pairs.hpp"

namespace poet {

/// What became of a result.
struct Comparison {
  int points = 0;  ///< of the baseline
  double rel_tol = 0;
  IncreaseLimits limits;
  std::vector<Difference> regressions;
  std::vector<Difference> improvements;
  std::vector<Difference> graph_changes;  ///< neither: the figures before and after
};

/// What becomes of a point whose model has another graph than in the baseline.
enum class OnChangedGraph {
  report,  ///< one of `graph_changes`, and a regression only if its schedule is lost
  fail,    ///< a regression
};

template <>
inline constexpr auto kNames<OnChangedGraph> = kWords<OnChangedGraph::report, OnChangedGraph::fail>;

/// Compares a result with its baseline, point by point. Energies within `rel_tol` of the baseline's
/// are equal; a figure with a limit is worse beyond that limit only, on a changed graph as well.
/// Proofs are compared if both points have their nodes in the same order. Points of a
/// sweep belong together when model, platform, costs, techniques and budgets are the same. If the
/// graph of a model and platform has changed, its points belong together by their budgets as well,
/// and those that are left over by their order. Throws InputError if only one of the two is a
/// sweep, and for a point that is in one sweep twice.
Comparison compare(const ComparedResult& baseline, const ComparedResult& fresh, double rel_tol,
                   OnChangedGraph on_changed_graph = OnChangedGraph::report,
                   const IncreaseLimits& limits = {});

}  // namespace poet
