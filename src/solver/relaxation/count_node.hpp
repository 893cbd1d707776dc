#pragma once

#include <cstdint>
#include <vector>

#include "poet/graph.hpp"
#include "poet/solver_features.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/relaxation/counts.hpp"
#include "solver/relaxation/relaxation.hpp"
#include "solver/work.hpp"

namespace poet {

/// What the relaxation of a subproblem came to, and where to branch next. The children of a node
/// take 200 to 1000 iterations from its basis, and 6000 to 12000 from the basis of another node.
struct CountNode {
  bool closed = false;         ///< nothing in it lies below the ceiling; the rest is empty then
  double bound = -kInfinity;   ///< on every solution in the subproblem
  CountSplit split;            ///< none if it leads nowhere
  std::vector<double> values;  ///< of all columns
  Relaxation::Snapshot relaxation;
  std::int64_t work = 0;  ///< in moves
};

/// Where the work on a node ends.
struct NodeLimits {
  double ceiling = kInfinity;         ///< only solutions below it are of interest
  std::int64_t most_work = kNoLimit;  ///< in moves (work.hpp)
};

/// Solves the relaxations of subproblems. Copies of it in other processes may solve the children of
/// nodes that this one knows; what they come to does not depend on which copy does.
class CountNodes {
 public:
  CountNodes(const Formulation& model, const Graph& graph, const Milp& milp,
             const std::vector<Count>& counts, const SolverFeatures& features);

  /// The whole problem, by the rows and cuts to start with. To be called first, and once.
  CountNode solve_root(const std::vector<int>& rows, std::vector<Cut> cuts,
                       const NodeLimits& limits, const Countdown& time);
  /// A subproblem of the node's, in a copy of this process that ends with it.
  CountNode solve_child(const CountNode& parent, const Subproblem& subproblem,
                        const NodeLimits& limits, const Countdown& time);
  /// Takes in a node that a copy solved, so that it can be a parent here.
  void adopt(CountNode& node);
  /// Throws MalformedMessage if no copy can have solved the node.
  void check(const CountNode& node) const;

 private:
  CountNode solve(const Subproblem& subproblem, const NodeLimits& limits, const Countdown& time);

  const Graph& graph_;
  const Milp& milp_;
  std::size_t nonzeros_;
  const std::vector<Count>& counts_;
  Relaxation relaxation_;
  int start_rows_ = 0;
};

}  // namespace poet
