#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/pairs.hpp"

namespace poet {

/// Something that differs at a point.
struct Difference {
  enum class Kind {
    energy,  ///< by more than the tolerance; likewise the next two, if they are the objective
    runtime,
    ram,
    invalid,   ///< the new schedule does not replay
    schedule,  ///< one of the two has none
    proof,     ///< one of the two is proven, the other is not as well
    missing,   ///< one of the two has no such point
    problem,   ///< the two are about different problems: not comparable
    graph,     ///< the graph of this model and platform has changed
  };
  Kind kind = Kind::energy;
  std::string point;    ///< `vgg16_cifar/m4 both 3x 1048576 bytes`
  std::string message;  ///< one line with the figures
  std::optional<Joules> baseline_joules;
  std::optional<Joules> fresh_joules;
};

template <>
inline constexpr auto kNames<Difference::Kind> =
    kWords<Difference::Kind::energy, Difference::Kind::runtime, Difference::Kind::ram,
           Difference::Kind::invalid, Difference::Kind::schedule, Difference::Kind::proof,
           Difference::Kind::missing, Difference::Kind::problem, Difference::Kind::graph>;

/// What became of a result.
struct Comparison {
  int points = 0;  ///< of the baseline
  double rel_tol = 0;
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
/// are equal. Proofs are compared if both points have their nodes in the same order. Points of a
/// sweep belong together when model, platform, costs, techniques and budgets are the same. If the
/// graph of a model and platform has changed, its points belong together by their budgets as well,
/// and those that are left over by their order. Throws InputError if only one of the two is a
/// sweep, and for a point that is in one sweep twice.
Comparison compare(const ComparedResult& baseline, const ComparedResult& fresh, double rel_tol,
                   OnChangedGraph on_changed_graph = OnChangedGraph::report);

}  // namespace poet
