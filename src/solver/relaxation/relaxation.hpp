#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "poet/graph.hpp"
#include "poet/solver_features.hpp"
#include "solver/formulation/cuts.hpp"
#include "solver/formulation/rows_on_demand.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/linear_program.hpp"

namespace poet {

/// How a relaxation looks for precedence cuts.
struct Separation {
  SeparationLimits limits;
  /// Whether cuts are sought at a point inside first, the mean of past optima (in-out separation,
  /// Ben-Ameur and Neto 2007). The optimum hops between the vertices of one face; a cut at a vertex
  /// takes that vertex away, and one at a point inside the whole face.
  bool inside = false;
};

/// The linear relaxation of a model that contains a row only while it is tight. Most rows, four of
/// five or more, are slack at the optimum, so a row enters when it is violated and leaves when it
/// is slack. Precedence cuts are separated once the model's own rows are nearly satisfied. Use it
/// in a child process only.
class Relaxation {
 public:
  Relaxation(const Formulation& model, const Graph& graph, const Milp& milp,
             const SolverFeatures& features, const Separation& separation = {});

  /// Adds the rows to start with: rows of the model by index (if none are given, those that are
  /// often tight), and cuts. After the rows of the model, the indices count rows on demand.
  void start(const std::vector<int>& rows, std::vector<Cut> cuts);

  /// See LinearProgram::solve.
  LinearProgram::Status solve(double ceiling, Seconds seconds, std::int64_t iterations = kNoLimit);
  double bound() const { return program_.bound(); }
  std::span<const double> values() const { return program_.values(); }
  std::span<const double> reduced_costs() const { return program_.reduced_costs(); }
  int iterations() const { return program_.iterations(); }
  int rows() const { return program_.rows(); }

  /// Adds the rows of the model and the cuts that the optimum violates; false if it violates none.
  bool add_violated_rows();
  void add_cuts(std::vector<Cut> cuts);
  void remove_slack_rows();

  /// Adds a row of the caller's under a number, or changes the bounds of the row that has it.
  void set_row(int number, const MilpRow& row);

  /// The rows of the model and those on demand: snapshots know them by index.
  std::size_t known_rows() const { return pool_.size(); }

  /// The rows of the linear program, and its basis.
  struct Snapshot;
  int cuts() const { return static_cast<int>(cuts_.size()); }
  /// For a process whose relaxation has the first `known_cuts` cuts of this one.
  Snapshot snapshot(int known_cuts) const;
  /// Takes in the cuts of another process's snapshot. It fits this relaxation from then on.
  void adopt(Snapshot& snapshot);
  /// Returns to these rows and this basis. `own_row` has the rows of the caller's by number; their
  /// bounds are lost.
  void restore(const Snapshot& snapshot, const std::function<MilpRow(int number)>& own_row);

  std::vector<int> active_rows() const;
  std::vector<Cut> active_cuts() const;

  /// The source of a row of the linear program; one of the three is set.
  struct Origin {
    int pool_row = -1;
    int cut = -1;
    int number = -1;  ///< of the caller's
  };

 private:
  /// The rows of the model, and after them those on demand, which are made when they are needed.
  class RowPool {
   public:
    RowPool(const std::vector<MilpRow>& rows, const Formulation& model, const Graph& graph);
    std::vector<int> often_tight() const;
    /// Inactive rows violated at the point, most violated first.
    std::vector<int> violated(std::span<const double> values);
    void set_active(int row, bool active) { active_[row] = active; }
    /// Of all, made or not.
    std::size_t size() const { return active_.size(); }
    const MilpRow& operator[](int row);

   private:
    const std::vector<MilpRow>& rows_;
    RowsOnDemand on_demand_;
    std::map<int, MilpRow> made_;  // rows on demand that were violated once
    std::vector<bool> active_;
    std::vector<double> norms_;  // of rows_
  };

  void add_pool_rows(const std::vector<int>& chosen);
  std::vector<Cut> separate();
  std::vector<PrecedenceCut> separate_paths();
  std::vector<PrecedenceCut> separate_inside();

  const Formulation& model_;
  const Graph& graph_;
  SolverFeatures features_;
  Separation separation_;
  std::vector<double> inside_;  // the mean of past optima, later ones weighing more
  RowPool pool_;
  LinearProgram program_;
  std::vector<Origin> origins_;  // by row of the linear program
  std::vector<Cut> cuts_;
};

struct Relaxation::Snapshot {
  std::vector<Origin> origins;  ///< by row of the linear program
  int known_cuts = 0;           ///< the cuts from this number on are in `cuts`
  std::vector<Cut> cuts;        ///< empty once they have been taken in
  std::vector<unsigned char> basis;
};

}  // namespace poet
