#include "solver/formulation/cuts.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "solver/formulation/row_builder.hpp"

namespace poet {
namespace {

/// For a fixed first stage a, the right-hand sides of the best cuts, stage by stage.
class Separator {
 public:
  Separator(const Formulation& model, const Graph& graph, std::span<const double> values,
            double tolerance)
      : model_(model), graph_(graph), values_(values), tolerance_(tolerance) {}

  void run(int a, std::vector<PrecedenceCut>& found) {
    start(a);
    for (int t = a; t < graph_.size(); ++t) {
      advance(a, t);
      for (int k = 0; k < a; ++k) {
        if (t > model_.windows.last_use[k]) continue;
        const double left = value_of(model_.available(t, k), values_);
        if (left - cost_[k] > tolerance_) found.push_back(make_cut(a, t, k, left - cost_[k]));
      }
    }
  }

 private:
  void start(int a) {
    carried_.resize(a);
    by_page_ins_.resize(a);
    computed_.assign(a, 0);
    cost_.assign(a, 0);
    next_.assign(a, -1);
    for (int i = 0; i < a; ++i) {
      carried_[i] = value_of(model_.carried(a, i), values_);
      by_page_ins_[i] = value_of(model_.resident(a, i), values_);
    }
  }

  /// Extends the window to [a,t] and finds the cheapest path from each node, inputs first.
  void advance(int a, int t) {
    for (int i = 0; i < a; ++i) {
      if (t > a) by_page_ins_[i] += value_of(model_.page_in(t - 1, i), values_);
      computed_[i] += value_of(model_.compute(t, i), values_);
      double best = computed_[i];
      next_[i] = -1;
      for (const int j : graph_.nodes[i].inputs) {
        if (cost_[j] >= best) continue;
        best = cost_[j];
        next_[i] = j;
      }
      cost_[i] = best + std::min(by_page_ins_[i], by_copy(i));
    }
  }

  /// C[a,i] + P[i], if the model has a P[i].
  double by_copy(int i) const {
    const bool has_copy = model_.windows.collapsed() && model_.windows.page[i];
    return has_copy ? carried_[i] + value_of(model_.paged[i], values_) : kInfinity;
  }

  PrecedenceCut make_cut(int a, int t, int k, double violation) const {
    PrecedenceCut cut{.first = a, .last = t, .violation = violation};
    for (int i = k; i >= 0; i = next_[i]) {
      cut.path.push_back(i);
      cut.by_copy.push_back(by_copy(i) < by_page_ins_[i]);
    }
    return cut;
  }

  const Formulation& model_;
  const Graph& graph_;
  std::span<const double> values_;
  double tolerance_;
  std::vector<double> carried_;      // C[a,i]
  std::vector<double> by_page_ins_;  // S[a,i] + the sum of I[s,i] over s in [a,t-1]
  std::vector<double> computed_;     // sum of R[s,i] over s in [a,t]
  std::vector<double> cost_;         // right-hand side of the best path that starts from i
  std::vector<int> next_;            // the path's next node, or -1
};

}  // namespace

std::vector<PrecedenceCut> separate_precedence(const Formulation& model, const Graph& graph,
                                               std::span<const double> values,
                                               const SeparationLimits& limits) {
  std::vector<PrecedenceCut> found;
  Separator separator(model, graph, values, limits.tolerance);
  for (int a = std::max(1, model.windows.first_stage); a < graph.size(); ++a)
    separator.run(a, found);
  std::ranges::stable_sort(found, std::greater{}, &PrecedenceCut::violation);
  std::map<std::pair<int, int>, int> by_last;
  std::map<std::pair<int, int>, int> by_first;
  std::vector<PrecedenceCut> chosen;
  for (PrecedenceCut& cut : found) {
    if (static_cast<int>(chosen.size()) >= limits.total) break;
    int& last_count = by_last[{cut.last, cut.path.front()}];
    int& first_count = by_first[{cut.first, cut.path.front()}];
    if (last_count >= limits.per_target || first_count >= limits.per_target) continue;
    ++last_count;
    ++first_count;
    chosen.push_back(std::move(cut));
  }
  return chosen;
}

MilpRow to_row(const Formulation& model, const Graph& /*graph*/, const PrecedenceCut& cut) {
  RowBuilder row(
      fmt::format("precede_{}_{}_{}_{}", cut.first, cut.last, cut.path.front(), cut.path.back()));
  row.add(1, model.available(cut.last, cut.path.front()));
  for (std::size_t l = 0; l < cut.path.size(); ++l) {
    const int i = cut.path[l];
    if (cut.by_copy[l]) {
      row.add(-1, model.carried(cut.first, i));
      row.add(-1, model.paged[i]);
    } else {
      row.add(-1, model.resident(cut.first, i));
      for (int s = cut.first; s < cut.last; ++s) row.add(-1, model.page_in(s, i));
    }
  }
  for (int s = cut.first; s <= cut.last; ++s) row.add(-1, model.compute(s, cut.path.back()));
  return row.at_most_row(0);
}

}  // namespace poet
