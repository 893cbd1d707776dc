#include "solver/formulation/cuts.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "solver/formulation/memory_rows.hpp"
#include "solver/formulation/row_builder.hpp"

namespace poet {
namespace {

/// Tensors of one kind can meet in RAM at many moments; this is enough rows for one round.
constexpr std::size_t kMaxRows = 5000;
/// Relative difference between sums of the same runtimes in another order. A set that is too long
/// by less is left alone: the simulator may accept it.
constexpr double kSumSlack = 1e-12;
/// A row that is not made of whole numbers must be violated by this share of its right-hand side:
/// by less, a solver may find the same point again.
constexpr double kLeastViolation = 1e-6;

/// Whether tensor i, which may be k itself, is in RAM while stage t computes k.
BinaryExpression present(const Formulation& model, const Graph& graph, int t, int k, int i) {
  return i == k ? model.available(t, k) : held_during(model, graph, t, k, i);
}

/// Drops members from a set that overruns a budget, the smallest first, as long as it overruns.
template <typename Member, typename Amount, typename TooMuch>
std::vector<Member> minimal(std::vector<Member> set, Amount amount, TooMuch too_much) {
  std::stable_sort(set.begin(), set.end(),
                   [&](const Member& a, const Member& b) { return amount(a) < amount(b); });
  for (std::size_t at = 0; at < set.size();) {
    std::vector<Member> less = set;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(at));
    if (too_much(less)) {
      set = std::move(less);
    } else {
      ++at;
    }
  }
  return set;
}

/// Finds minimal sets that overrun a budget at one moment of a point, and forbids each at every
/// moment: the same set is likely to pass for a solution elsewhere too.
class CoverFinder {
 public:
  CoverFinder(const Formulation& model, const Problem& problem)
      : model_(model), graph_(problem.graph), limits_(problem.limits) {}

  void add_for(std::span<const double> values) {
    values_ = values;
    for (const std::vector<int>& tensors : never_together()) add_memory_covers(tensors);
    for (const auto& [k, tensors] : never_beside()) add_covers_beside(k, tensors);
    add_runtime_cover();
    if (model_.overlapped()) add_overlapped_runtime();
  }
  std::vector<MilpRow> rows() { return std::move(rows_); }

 private:
  Bytes bytes(int i) const { return graph_.nodes[i].bytes; }
  Seconds runtime(int i) const { return graph_.nodes[i].runtime_seconds; }

  bool overrun(const std::vector<int>& tensors) const {
    Bytes sum = 0;
    for (const int i : tensors) sum += bytes(i);
    return sum > limits_.ram_budget_bytes;
  }

  /// Minimal sets of tensors that the point holds at one moment and that overrun the budget.
  std::set<std::vector<int>> never_together() const {
    std::set<std::vector<int>> found;
    for_each_computation(model_, [&](int t, int k) {
      std::vector<int> tensors;
      for (int i = 0; i <= t; ++i) {
        if (holds(present(model_, graph_, t, k, i), values_)) tensors.push_back(i);
      }
      if (!overrun(tensors)) return;
      tensors = minimal(
          std::move(tensors), [&](int i) { return bytes(i); },
          [&](const std::vector<int>& set) { return overrun(set); });
      std::sort(tensors.begin(), tensors.end());
      found.insert(std::move(tensors));
    });
    return found;
  }

  /// For computations k, minimal sets of tensors that the point holds, or reads back beside it,
  /// while it computes k, and that overrun the budget with the output and the workspace of k, but
  /// not among themselves.
  std::set<std::pair<int, std::vector<int>>> never_beside() const {
    std::set<std::pair<int, std::vector<int>>> found;
    for_each_computation(model_, [&](int t, int k) {
      const Node& own = graph_.nodes[k];
      if (own.workspace_bytes == 0 && !model_.overlapped()) return;
      if (!holds(model_.compute(t, k), values_)) return;
      const auto too_much = [&](const std::vector<int>& set) {
        Bytes sum = own.bytes + own.workspace_bytes;
        for (const int i : set) sum += bytes(i);
        return sum > limits_.ram_budget_bytes;
      };
      std::vector<int> tensors;
      for (int i = 0; i < t; ++i) {
        if (i != k && holds(counted_during(model_, graph_, t, k, i), values_)) tensors.push_back(i);
      }
      if (!too_much(tensors)) return;
      tensors = minimal(
          std::move(tensors), [&](int i) { return bytes(i); }, too_much);
      std::sort(tensors.begin(), tensors.end());
      found.insert({k, std::move(tensors)});
    });
    return found;
  }

  /// Given such a set of n tensors, at most n of these and of "k is computed" in any stage. Valid:
  /// all of them at once overrun the budget (rule 5).
  void add_covers_beside(int k, const std::vector<int>& tensors) {
    for (int t = std::max(k, model_.windows.first_stage); t < model_.size(); ++t) {
      if (rows_.size() >= kMaxRows) return;
      if (!model_.windows.can_compute(t, k)) continue;
      RowBuilder row(fmt::format("cover_beside_{}_{}", t, k));
      row.add(1, model_.compute(t, k));
      for (const int i : tensors) {
        if (i < t) row.add(1, counted_during(model_, graph_, t, k, i));
      }
      add(row.at_most_row(static_cast<double>(tensors.size())));
    }
  }

  /// Given n tensors, at most n - 1 of these and of all that are at least as large as the largest
  /// of them are in RAM at any moment. Valid: any n of them weigh no less than the n given ones,
  /// which overrun the budget (rule 5).
  void add_memory_covers(const std::vector<int>& tensors) {
    Bytes largest = 0;
    for (const int i : tensors) largest = std::max(largest, bytes(i));
    for_each_computation(model_, [&](int t, int k) {
      if (rows_.size() >= kMaxRows) return;
      RowBuilder row(fmt::format("cover_{}_{}", t, k));
      std::size_t members = 0;
      for (int i = 0; i <= t; ++i) {
        const bool given = std::binary_search(tensors.begin(), tensors.end(), i);
        const BinaryExpression& expression = present(model_, graph_, t, k, i);
        if (expression.is_zero() || (!given && bytes(i) < largest)) continue;
        row.add(1, expression);
        ++members;
      }
      if (members < tensors.size()) return;
      add(row.at_most_row(static_cast<double>(tensors.size()) - 1));
    });
  }

  /// The same for recomputations and the runtime budget (rule 6).
  void add_runtime_cover() {
    using Recomputation = std::pair<int, int>;
    Seconds once = 0;
    for (const Node& node : graph_.nodes) once += node.runtime_seconds;
    const Seconds most =
        limits_.runtime_budget_seconds * (1 + kRuntimeSlack) * (1 + kSumSlack) - once;
    const auto too_long = [&](const std::vector<Recomputation>& set) {
      Seconds sum = 0;
      for (const auto& [t, i] : set) sum += runtime(i);
      return sum > most;
    };
    std::vector<Recomputation> chosen;
    for_each_computation(model_, [&](int t, int i) {
      if (i < t && holds(model_.compute(t, i), values_)) chosen.emplace_back(t, i);
    });
    if (!too_long(chosen)) return;
    chosen = minimal(
        std::move(chosen), [&](const Recomputation& r) { return runtime(r.second); }, too_long);
    Seconds longest = 0;
    for (const auto& [t, i] : chosen) longest = std::max(longest, runtime(i));
    std::sort(chosen.begin(), chosen.end());
    RowBuilder row("cover_runtime");
    for_each_computation(model_, [&](int t, int i) {
      const bool given = std::binary_search(chosen.begin(), chosen.end(), Recomputation{t, i});
      if (i < t && (given || runtime(i) >= longest)) row.add(1, model_.compute(t, i));
    });
    add(row.at_most_row(static_cast<double>(chosen.size()) - 1));
  }

  /// For a set T of stages, with the times X_i of page-ins and Y_i of page-outs,
  ///
  ///   sum over t in T of (C_t + sum C_i R[t,i]) + sum over t not in T of (sum X_i I + sum Y_i O)
  ///     <= budget - sum of C_t over the stages that the model leaves out.
  ///
  /// Valid: beside transfers a stage takes the longer of its two sums (rule 6). There are too many
  /// such sets for all of these rows; the one that the point violates most has each stage's longer
  /// sum.
  void add_overlapped_runtime() {
    const Seconds budget = limits_.runtime_budget_seconds * (1 + kRuntimeSlack);
    RowBuilder row("overlap");
    Seconds total = 0;
    const auto value = [&](const BinaryExpression& expression) {
      return holds(expression, values_) ? 1.0 : 0.0;
    };
    for (int t = 0; t < model_.size(); ++t) {
      Seconds computing = runtime(t);
      Seconds moving = 0;
      for (int i = 0; i < t && t >= model_.windows.first_stage; ++i) {
        computing += runtime(i) * value(model_.compute(t, i));
        moving += graph_.nodes[i].page_in_seconds * value(model_.page_in(t, i)) +
                  graph_.nodes[i].page_out_seconds * value(model_.page_out(t, i));
      }
      total += std::max(computing, moving);
      if (computing >= moving) row.add(runtime(t), BinaryExpression::one());
      for (int i = 0; i < t && t >= model_.windows.first_stage; ++i) {
        if (computing >= moving) {
          row.add(runtime(i), model_.compute(t, i));
        } else {
          row.add(graph_.nodes[i].page_in_seconds, model_.page_in(t, i));
          row.add(graph_.nodes[i].page_out_seconds, model_.page_out(t, i));
        }
      }
    }
    if (total > budget * (1 + kLeastViolation)) add(row.at_most_row(budget));
  }

  /// Unless 0/1 columns cannot violate it, or the same row is there: many moments hold the same.
  void add(MilpRow row) {
    double greatest = 0;
    for (const MilpTerm& term : row.terms) greatest += std::max(0.0, term.coefficient);
    if (greatest <= row.upper) return;
    std::vector<int> columns;
    for (const MilpTerm& term : row.terms) columns.push_back(term.column);
    if (known_.insert({row.upper, std::move(columns)}).second) rows_.push_back(std::move(row));
  }

  const Formulation& model_;
  const Graph& graph_;
  const Limits& limits_;
  std::span<const double> values_;
  std::vector<MilpRow> rows_;
  std::set<std::pair<double, std::vector<int>>> known_;
};

}  // namespace

std::vector<MilpRow> violated_covers(const Formulation& model, const Problem& problem,
                                     std::span<const std::vector<double>> points) {
  CoverFinder finder(model, problem);
  for (const std::vector<double>& point : points) finder.add_for(point);
  return finder.rows();
}

}  // namespace poet
