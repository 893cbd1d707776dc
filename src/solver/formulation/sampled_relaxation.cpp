#include "solver/formulation/sampled_relaxation.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "solver/formulation/knapsack_rounding.hpp"
#include "solver/formulation/row_builder.hpp"

namespace poet {
namespace {

class SampledRelaxation {
 public:
  SampledRelaxation(const Problem& problem, const UsefulWindows& windows)
      : problem_(problem), graph_(problem.graph), windows_(windows) {
    model_.paged.resize(graph_.size());
  }

  SampledModel build(const std::vector<int>& moments) {
    cut_intervals(moments);
    make_columns();
    cumulate();
    for (std::size_t m = 0; m < intervals_.size(); ++m) {
      add_first_computations(intervals_[m]);
      add_recomputations(intervals_[m]);
      add_copies(intervals_[m]);
      add_memory(intervals_[m]);
      if (m > 0) add_hand_over(intervals_[m - 1], intervals_[m]);
      if (m + 1 < intervals_.size()) add_later(intervals_[m]);
    }
    add_page_out_link();
    add_runtime();
    add_storage_budget();
    return std::move(model_);
  }

 private:
  void cut_intervals(const std::vector<int>& moments) {
    for (const int moment : moments) {
      if (!intervals_.empty()) intervals_.back().last = moment;
      intervals_.push_back({.moment = moment, .last = graph_.size() - 1});
    }
  }

  void make_columns() {
    for (int i = 0; i < graph_.size(); ++i) {
      if (!windows_.page[i]) continue;
      paged_[i] = add_binary(milp_, "P", 0, i, graph_.nodes[i].page_out_energy_joules);
    }
    for (SampledInterval& interval : intervals_) make_columns(interval);
  }

  /// The inputs of the moment's node are in RAM with it: they are constants. The one that its
  /// output may take over is no constant, and S says whether it is there beside the output.
  void make_columns(SampledInterval& interval) {
    const int t = interval.moment;
    interval.held.resize(t + 1);
    interval.compute.resize(t + 1);
    interval.page_in.resize(t + 1);
    interval.held[t] = BinaryExpression::one();
    for (const int i : graph_.nodes[t].inputs) {
      if (graph_.nodes[t].in_place != i) interval.held[i] = BinaryExpression::one();
    }
    for (int i = 0; i < t; ++i) {
      if (interval.held[i].is_one() || windows_.last_use[i] <= t) continue;
      const Node& node = graph_.nodes[i];
      interval.held[i] = add_binary(milp_, "S", t, i);
      if (interval.last == t) continue;
      if (windows_.recompute[i] && windows_.last_recompute[i] > t) {
        interval.compute[i] = add_binary(milp_, "R", t, i, node.energy_joules);
      }
      if (windows_.page[i] && windows_.last_page_in[i] >= t) {
        interval.page_in[i] = add_binary(milp_, "I", t, i, node.page_in_energy_joules);
      }
    }
  }

  /// Z[m,i] <= R[m,i] + Z[m+1,i], and likewise Y from I; Y[m,i] <= P[i].
  /// Valid: what happens in an interval or later happens in it or later than it.
  void cumulate() {
    const SampledInterval* later = nullptr;
    for (auto interval = intervals_.rbegin(); interval != intervals_.rend(); ++interval) {
      interval->compute_later = interval->compute;
      interval->page_in_later = interval->page_in;
      if (later != nullptr) {
        for (int i = 0; i < interval->moment; ++i) {
          cumulate("Z", interval->moment, i, interval->compute_later[i], later->compute_later[i]);
          const bool merged = cumulate("Y", interval->moment, i, interval->page_in_later[i],
                                       later->page_in_later[i]);
          if (!merged) continue;
          RowBuilder("copies", interval->moment, i)
              .add(1, interval->page_in_later[i])
              .add(-1, paged_[i])
              .at_most(0, milp_);
        }
      }
      later = &*interval;
    }
  }

  /// Turns `now` into "now or later"; true if that takes a column of its own.
  bool cumulate(const char* kind, int t, int i, BinaryExpression& now,
                const BinaryExpression& later) {
    if (later.is_zero()) return false;
    if (now.is_zero()) {
      now = later;
      return false;
    }
    const BinaryExpression either = add_binary(milp_, kind, t, i);
    milp_.columns[either.columns[0]].integer = false;
    RowBuilder(fmt::format("later_{}_{}_{}", kind, t, i))
        .add(1, either)
        .add(-1, now)
        .add(-1, later)
        .at_most(0, milp_);
    now = either;
    return true;
  }

  static void add_presence_later(RowBuilder& row, const SampledInterval& interval, int i) {
    row.add(1, interval.held[i])
        .add(1, interval.compute_later[i])
        .add(1, interval.page_in_later[i]);
  }

  /// S[m,i] + Z[m,i] + Y[m,i] >= 1 if a first computation after the moment reads i, and >= Z[m,j]
  /// for each user j of i that is born. Valid: as for first computations and recomputations, with
  /// all later intervals for one. A page-in of j takes none of its inputs, so Y is not on the
  /// right.
  ///
  /// Without these rows more moments can make the relaxation weaker: it computes a sliver of a node
  /// in each interval, and the inputs of each sliver have to be there by as much only.
  void add_later(const SampledInterval& interval) {
    for (int i = 0; i < interval.moment; ++i) {
      if (!graph_.users[i].empty() && graph_.users[i].back() > interval.moment) {
        RowBuilder row("first_later", interval.moment, i);
        add_presence_later(row, interval, i);
        row.at_least(1, milp_);
      }
      for (const int j : graph_.users[i]) {
        if (j >= interval.moment || interval.compute_later[j].is_zero()) continue;
        RowBuilder row(fmt::format("input_later_{}_{}_{}", interval.moment, i, j));
        add_presence_later(row, interval, i);
        row.add(-1, interval.compute_later[j]);
        add_rarely_tight(row);
      }
    }
  }

  /// Adds `expression >= 0`. There is such a row for each edge and interval, and few of them count.
  void add_rarely_tight(RowBuilder& row) {
    const std::size_t before = milp_.rows.size();
    row.at_least(0, milp_);
    if (milp_.rows.size() > before) milp_.rows.back().rarely_tight = true;
  }

  static void add_presence(RowBuilder& row, const SampledInterval& interval, int i) {
    row.add(1, interval.held[i]).add(1, interval.compute[i]).add(1, interval.page_in[i]);
  }

  /// S[m,i] + R[m,i] + I[m,i] >= 1 if a first computation in the interval reads i.
  /// Valid: the input was there at the moment, or was computed or paged in since. Inputs that are
  /// born in the interval need no row.
  void add_first_computations(const SampledInterval& interval) {
    std::vector<bool> read(interval.moment + 1, false);
    for (int t = interval.moment + 1; t <= interval.last; ++t) {
      for (const int i : graph_.nodes[t].inputs) {
        if (i <= interval.moment) read[i] = true;
      }
    }
    for (int i = 0; i < interval.moment; ++i) {
      if (!read[i]) continue;
      RowBuilder row(fmt::format("first_{}_{}", interval.moment, i));
      add_presence(row, interval, i);
      row.at_least(1, milp_);
    }
  }

  /// S[m,i] + R[m,i] + I[m,i] >= R[m,j] for each input i of j. Valid: as for first computations.
  void add_recomputations(const SampledInterval& interval) {
    for (int j = 0; j < interval.moment; ++j) {
      if (interval.compute[j].is_zero()) continue;
      for (const int i : graph_.nodes[j].inputs) {
        RowBuilder row(fmt::format("input_{}_{}_{}", interval.moment, i, j));
        add_presence(row, interval, i);
        row.add(-1, interval.compute[j]);
        add_rarely_tight(row);
      }
    }
  }

  /// I[m,i] <= P[i]. Valid: rule 4. The relaxation ignores when the copy was made.
  void add_copies(const SampledInterval& interval) {
    for (int i = 0; i < interval.moment; ++i) {
      if (interval.page_in[i].is_zero()) continue;
      RowBuilder(fmt::format("copy_{}_{}", interval.moment, i))
          .add(1, interval.page_in[i])
          .add(-1, paged_[i])
          .at_most(0, milp_);
    }
  }

  /// S[m+1,i] <= S[m,i] + R[m,i] + I[m,i].
  /// Valid: what is in RAM at a moment was there at the one before, or was brought in since.
  void add_hand_over(const SampledInterval& before, const SampledInterval& interval) {
    for (int i = 0; i < before.moment; ++i) {
      if (interval.held[i].is_constant()) continue;
      RowBuilder row(fmt::format("hand_over_{}_{}", interval.moment, i));
      add_presence(row, before, i);
      row.add(-1, interval.held[i]).at_least(0, milp_);
    }
  }

  /// sum M_i S[m,i] <= B - W, rounded, with W the workspace of the moment's node.
  /// Valid: rule 5 at the moment.
  void add_memory(const SampledInterval& interval) {
    Knapsack knapsack{.capacity = problem_.limits.ram_budget_bytes -
                                  graph_.nodes[interval.moment].workspace_bytes};
    MilpRow row{.name = fmt::format("ram_{}", interval.moment)};
    for (int i = 0; i <= interval.moment; ++i) {
      const Bytes bytes = graph_.nodes[i].bytes;
      knapsack.capacity -= bytes * interval.held[i].constant;
      if (bytes == 0 || interval.held[i].is_constant()) continue;
      knapsack.weights.push_back(bytes);
      row.terms.push_back({.column = interval.held[i].columns[0]});
    }
    const auto& weights = knapsack.weights;
    if (std::accumulate(weights.begin(), weights.end(), Bytes{0}) <= knapsack.capacity) return;
    const Knapsack tight = tighten(knapsack);
    for (std::size_t item = 0; item < row.terms.size(); ++item) {
      row.terms[item].coefficient = static_cast<double>(tight.weights[item]);
    }
    std::erase_if(row.terms, [](const MilpTerm& term) { return term.coefficient == 0; });
    row.upper = static_cast<double>(tight.capacity);
    milp_.rows.push_back(std::move(row));
  }

  /// The page-out link (row_builder.hpp) between the moments that a paged tensor can reach.
  void add_page_out_link() {
    for (int i = 0; i < graph_.size(); ++i) {
      if (paged_[i].is_zero()) continue;
      const SampledInterval* before = nullptr;
      BinaryExpression unpaged;
      for (const SampledInterval& interval : intervals_) {
        if (i >= interval.moment) continue;
        const BinaryExpression& held = interval.held[i];
        if (held.is_zero()) break;  // no longer of use
        unpaged = before == nullptr ? held
                                    : link_to_page_out(milp_, interval.moment, i,
                                                       {.previous = unpaged,
                                                        .computed = before->compute[i],
                                                        .resident = held,
                                                        .paged = paged_[i]});
        before = &interval;
      }
    }
  }

  /// sum C_i R[m,i] <= budget - sum C_i, and transfers as in the complete model (formulate.cpp).
  /// Valid: rule 6; an interval counts a recomputation, and a page-in, once.
  void add_runtime() {
    const Seconds budget = problem_.limits.runtime_budget_seconds * (1 + kRuntimeSlack);
    RowBuilder row("runtime");
    for (const Node& node : graph_.nodes) row.add(node.runtime_seconds, BinaryExpression::one());
    for (const SampledInterval& interval : intervals_) {
      for (int i = 0; i < interval.moment; ++i) {
        if (graph_.nodes[i].runtime_seconds > 0) {
          row.add(graph_.nodes[i].runtime_seconds, interval.compute[i]);
        }
      }
    }
    if (problem_.limits.paging_time == PagingTime::blocking) add_transfers(row);
    row.at_most(budget, milp_);
    if (problem_.limits.paging_time != PagingTime::overlapped) return;
    RowBuilder transfers("transfers");
    add_transfers(transfers);
    transfers.at_most(budget, milp_);
  }

  void add_transfers(RowBuilder& row) const {
    for (int i = 0; i < graph_.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (node.page_out_seconds > 0) row.add(node.page_out_seconds, paged_[i]);
      for (const SampledInterval& interval : intervals_) {
        if (i < interval.moment && node.page_in_seconds > 0) {
          row.add(node.page_in_seconds, interval.page_in[i]);
        }
      }
    }
  }

  /// sum N_i P[i] <= the budgets of secondary storage. Valid: rule 9.
  void add_storage_budget() {
    RowBuilder row("storage");
    for (int i = 0; i < graph_.size(); ++i) {
      row.add(static_cast<double>(bytes_in_storage(graph_.nodes[i])), paged_[i]);
    }
    row.at_most(static_cast<double>(write_budget(problem_.limits)), milp_);
  }

  const Problem& problem_;
  const Graph& graph_;
  const UsefulWindows& windows_;
  SampledModel model_;
  Milp& milp_ = model_.milp;
  std::vector<BinaryExpression>& paged_ = model_.paged;
  std::vector<SampledInterval>& intervals_ = model_.intervals;
};

}  // namespace

SampledModel sampled_relaxation(const Problem& problem, const UsefulWindows& windows,
                                const std::vector<int>& moments) {
  return SampledRelaxation(problem, windows).build(moments);
}

}  // namespace poet
