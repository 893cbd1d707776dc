#pragma once

#include <span>
#include <vector>

#include "poet/graph.hpp"
#include "solver/formulation/formulation.hpp"
#include "solver/formulation/precedence_cuts.hpp"
#include "solver/milp/linear_program.hpp"

namespace poet {

/// A sum of columns, and the range that it is kept in.
struct SumLimit {
  std::span<const int> columns;
  double lower = -kInfinity;
  double upper = kInfinity;
};

/// The linear relaxation of a model in which a row is only while it is tight: most are slack at the
/// optimum, so a row enters when it is violated and leaves when it is slack. Precedence cuts are
/// separated once the model's own rows are nearly satisfied. Use it in a child process only.
class Relaxation {
 public:
  Relaxation(const Formulation& model, const Graph& graph, const Milp& milp,
             const Techniques& techniques);

  /// Adds the rows to start with: those of the model by index (those that are often tight, where
  /// none are given), and cuts.
  void start(const std::vector<int>& rows, std::vector<PrecedenceCut> cuts);

  /// See LinearProgram::solve.
  LinearProgram::Status solve(double ceiling, Seconds seconds);
  double bound() const { return program_.bound(); }
  std::span<const double> values() const { return program_.values(); }
  std::span<const double> reduced_costs() const { return program_.reduced_costs(); }
  int iterations() const { return program_.iterations(); }
  int rows() const { return program_.rows(); }

  /// Whether the optimum violates a row of the model or a cut: they are added.
  bool add_violated_rows();
  void remove_slack_rows();

  /// Keeps sum number `sum` in a range until told otherwise.
  void limit(int sum, const SumLimit& limit);

  /// The rows that the linear program has, and its basis.
  struct Snapshot;
  Snapshot snapshot() const;
  /// Back to these rows and this basis. Sums are free again.
  void restore(const Snapshot& snapshot);

  std::vector<int> active_rows() const;
  std::vector<PrecedenceCut> active_cuts() const;

 private:
  /// Where a row of the linear program came from: one of the three.
  struct Origin {
    int pool_row = -1;
    int cut = -1;
    int sum = -1;
  };

  class RowPool {
   public:
    explicit RowPool(const std::vector<MilpRow>& rows);
    /// Those that the first linear program has.
    std::vector<int> often_tight() const;
    /// Inactive rows violated at the point, most violated first.
    std::vector<int> violated(std::span<const double> values) const;
    void set_active(int row, bool active) { active_[row] = active; }
    const MilpRow& operator[](int row) const { return rows_[row]; }

   private:
    const std::vector<MilpRow>& rows_;
    std::vector<bool> active_;
    std::vector<double> norms_;
  };

  void add_pool_rows(const std::vector<int>& chosen);
  void add_cuts(std::vector<PrecedenceCut> cuts);
  MilpRow row_of(const Origin& origin) const;

  const Formulation& model_;
  const Graph& graph_;
  bool separates_;
  RowPool pool_;
  LinearProgram program_;
  std::vector<Origin> origins_;  // by row of the linear program
  std::vector<PrecedenceCut> cuts_;
  std::vector<std::span<const int>> sums_;  // columns, by number
};

struct Relaxation::Snapshot {
  std::vector<Origin> origins;
  std::vector<unsigned char> basis;
};

}  // namespace poet
