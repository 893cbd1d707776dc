#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "solver/formulation/cuts.hpp"
#include "solver/formulation/tail_values.hpp"
#include "solver/milp/linear_program.hpp"

namespace poet {

/// Finds tail cuts. Which page-outs a cut may price is settled at a first point: there are a few
/// groups of tensors, and a table of values for each choice of groups that may be paged in; other
/// tensors may always. Use it in a child process only.
class TailCuts {
 public:
  /// Values of the model's columns. No steps of tables beyond `most_steps` (TailValues::steps).
  TailCuts(const Formulation& model, const Graph& graph, std::span<const double> values,
           std::int64_t most_steps);

  /// The cut that the point misses by most energy, if that is worth a row.
  std::optional<TailCut> separate(std::span<const double> values);

  std::int64_t steps() const { return std::ssize(tables_) * values_.steps(); }

 private:
  using Set = TailValues::Set;
  using Energy = TailValues::Energy;
  /// What is in RAM and which groups may be paged in, and the least energy then: a limit for
  /// prices.
  struct Case {
    Set resident = 0;
    std::size_t groups = 0;
    Energy least = 0;
  };

  void choose_groups(std::span<const double> values, std::size_t most);
  void make_tables();
  std::vector<double> point(std::span<const double> values) const;
  double spent(std::span<const double> values) const;
  MilpRow limit(const Case& known) const;
  std::vector<Case> broken_by(std::span<const Energy> prices, Energy claim,
                              std::int64_t& least) const;

  const Formulation& model_;
  const Graph& graph_;
  TailValues values_;
  std::vector<Set> groups_;
  std::vector<std::vector<Energy>> tables_;  // by the groups that may be paged in, as bits
  std::vector<Case> known_;                  // that have limited prices
};

}  // namespace poet
