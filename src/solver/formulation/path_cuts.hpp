#pragma once

#include <span>
#include <vector>

#include "poet/graph.hpp"

namespace poet {

/// A point of a model in an interval between two moments, by node up to the moment.
struct PathInterval {
  std::vector<double> held;      ///< in RAM at the moment
  std::vector<double> computed;  ///< recomputed in the interval
  std::vector<double> paged_in;
  std::vector<bool> may_compute;  ///< whether there is a column for that
  std::vector<bool> read;         ///< by a first computation of the interval
};

/// What needs the first node of a path in the last interval of a cut.
struct PathNeed {
  enum class Kind {
    first_computation,  ///< which is certain
    next_moment,        ///< that the node is in RAM then
    recomputation,      ///< of `user`
  };
  Kind kind = Kind::first_computation;
  int user = -1;
};

/// A precedence cut (cuts.hpp) between the moments of two intervals.
struct PathCut {
  int first = 0;  ///< the interval a
  int last = 0;   ///< the interval t
  PathNeed need;
  std::vector<int> path;      ///< i_0 ... i_m
  std::vector<bool> by_copy;  ///< for each: P rather than the sum of page-ins
  double violation = 0;
};

/// The cuts that a point violates, the most violated first, one at most for each first interval and
/// first node. `copies`: by node, the value of P; infinite if it is never written out. For a fixed
/// first interval one pass over the nodes in their order finds the cheapest path from each.
///
/// These cuts keep more moments from making the bound weaker, which cumulated columns do in part:
/// with those columns alone, bounds of layered graphs fall again from 32 moments on.
std::vector<PathCut> violated_path_cuts(const Graph& graph, std::span<const PathInterval> intervals,
                                        std::span<const double> copies);

/// Whether a first computation of the stages after `moment`, up to and with `last`, reads node i.
bool is_read_between(const Graph& graph, int i, int moment, int last);

}  // namespace poet
