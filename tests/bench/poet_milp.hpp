#pragma once

#include <span>

#include "poet/problem.hpp"
#include "solver/milp/milp.hpp"

namespace poet::bench {

/// Where POET's columns are: the matrices T x T by stage and node, one after the other, then
/// Free[t, e] by stage and edge, then U[t, k].
class PoetColumns {
 public:
  PoetColumns(int nodes, int edges) : nodes_(nodes), edges_(edges) {}

  int compute(int t, int i) const { return matrix(0, t, i); }   ///< R
  int resident(int t, int i) const { return matrix(1, t, i); }  ///< S_ram
  int stored(int t, int i) const { return matrix(2, t, i); }    ///< S_sd
  int page_in(int t, int i) const { return matrix(3, t, i); }   ///< M_in
  int page_out(int t, int i) const { return matrix(4, t, i); }  ///< M_out
  int free(int t, int edge) const { return 5 * nodes_ * nodes_ + t * edges_ + edge; }
  int ram(int t, int k) const { return free(nodes_, 0) + t * nodes_ + k; }  ///< U
  int count() const { return ram(nodes_, 0); }

 private:
  int matrix(int which, int t, int i) const { return (which * nodes_ + t) * nodes_ + i; }

  int nodes_;
  int edges_;
};

struct PoetMilp {
  Milp milp;
  PoetColumns columns;
  double units_per_joule = 1;  ///< of the objective
  double bytes_per_unit = 1;   ///< of U
};

/// POET's own MILP (Patil et al., ICML 2022, section 4, and its release): the baseline that the
/// formulation in src/solver is measured against. Row by row as published, with every entry of
/// every matrix a column, and rows that fix what cannot be.
///
/// It describes the same problem as the seven rules of docs/schedule-format.md, with the same
/// optimum but for a corner. What it allows beyond the rules never pays:
///  - paging in what is resident, was computed in the same stage, or is not kept;
///  - recomputing a tensor that is resident, whose bytes then count twice in U: it could as well
///  not
///    have been resident. The corner is a tensor that is also paged out in that very stage.
/// It differs from the release in what changes answers there: two inputs that are the same node are
/// one edge (the release frees the tensor twice), and nodes stay in the order of the file (the
/// release breaks ties by chance). And it is kinder to CBC's absolute tolerances than plain joules
/// and bytes are: the objective is in joules times a power of ten that brings the baseline to
/// 1e3 or more, U in a power of two of bytes that brings the budget below 1024.
PoetMilp make_poet_milp(const Problem& problem);

/// The schedule that a solution describes, without the acts that never pay. It may break a rule in
/// the corner named above, or where the solver was not exact: replay it.
Schedule schedule_of(const PoetColumns& columns, const Graph& graph,
                     std::span<const double> values);

}  // namespace poet::bench
