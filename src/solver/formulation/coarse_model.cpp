#include "solver/formulation/coarse_model.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "solver/formulation/constraints.hpp"
#include "solver/formulation/knapsack_rounding.hpp"
#include "solver/formulation/row_builder.hpp"

namespace poet {
namespace {

/// The stages after the moment in which stage `moment` computes its own node, up to `last`.
struct Window {
  int moment = 0;
  int last = 0;
  // By node, up to `moment`:
  std::vector<Quantity> held;     ///< in RAM at the moment
  std::vector<Quantity> compute;  ///< recomputed in a stage of the window
  std::vector<Quantity> page_in;  ///< paged in from stage `moment` on, to be there in the window
};

class CoarseModel {
 public:
  CoarseModel(const Problem& problem, const Scope& scope)
      : problem_(problem), graph_(problem.graph), scope_(scope), paged_(graph_.size()) {}

  Milp build(int count) {
    cut_windows(count);
    make_columns();
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      add_first_computations(windows_[w]);
      add_recomputations(windows_[w]);
      add_copies(windows_[w]);
      add_memory(windows_[w]);
      if (w > 0) add_hand_over(windows_[w - 1], windows_[w]);
    }
    add_page_out_link();
    add_runtime();
    return std::move(milp_);
  }

 private:
  void cut_windows(int count) {
    const int first = scope_.first_stage;
    const int stages = graph_.size() - first;
    for (int w = 0; w < count; ++w) {
      const int moment = first + static_cast<int>(std::int64_t{w} * stages / count);
      if (!windows_.empty() && windows_.back().moment == moment) continue;
      if (!windows_.empty()) windows_.back().last = moment;
      windows_.push_back({.moment = moment, .last = graph_.size() - 1});
    }
  }

  Quantity column(const char* kind, int t, int i, double cost = 0) {
    return Quantity::of(
        milp_.add_column({.name = fmt::format("{}_{}_{}", kind, t, i), .cost = cost}));
  }

  void make_columns() {
    for (int i = 0; i < graph_.size(); ++i) {
      if (scope_.page[i]) paged_[i] = column("P", 0, i, graph_.nodes[i].page_out_energy_joules);
    }
    for (Window& window : windows_) make_columns(window);
  }

  /// The inputs of the moment's node are in RAM with it.
  void make_columns(Window& window) {
    const int t = window.moment;
    window.held.resize(t + 1);
    window.compute.resize(t + 1);
    window.page_in.resize(t + 1);
    window.held[t] = Quantity::one();
    for (const int i : graph_.nodes[t].inputs) window.held[i] = Quantity::one();
    for (int i = 0; i < t; ++i) {
      if (window.held[i].is_one() || scope_.last_use[i] <= t) continue;
      const Node& node = graph_.nodes[i];
      window.held[i] = column("S", t, i);
      if (window.last == t) continue;
      if (scope_.recompute[i] && scope_.last_recompute[i] > t) {
        window.compute[i] = column("R", t, i, node.energy_joules);
      }
      if (scope_.page[i] && scope_.last_page_in[i] >= t) {
        window.page_in[i] = column("I", t, i, node.page_in_energy_joules);
      }
    }
  }

  static void add_presence(RowBuilder& row, const Window& window, int i) {
    row.add(1, window.held[i]).add(1, window.compute[i]).add(1, window.page_in[i]);
  }

  /// S[w,i] + R[w,i] + I[w,i] >= 1 where a first computation in the window reads i.
  /// Valid: the input was there at the moment, or was computed or paged in since. Inputs that are
  /// born in the window ask for nothing.
  void add_first_computations(const Window& window) {
    std::vector<bool> read(window.moment + 1, false);
    for (int t = window.moment + 1; t <= window.last; ++t) {
      for (const int i : graph_.nodes[t].inputs) {
        if (i <= window.moment) read[i] = true;
      }
    }
    for (int i = 0; i < window.moment; ++i) {
      if (!read[i]) continue;
      RowBuilder row(fmt::format("first_{}_{}", window.moment, i));
      add_presence(row, window, i);
      row.at_least(1, milp_);
    }
  }

  /// S[w,i] + R[w,i] + I[w,i] >= R[w,j] for each input i of j. Valid: as for first computations.
  void add_recomputations(const Window& window) {
    for (int j = 0; j < window.moment; ++j) {
      if (window.compute[j].is_zero()) continue;
      for (const int i : graph_.nodes[j].inputs) {
        RowBuilder row(fmt::format("input_{}_{}_{}", window.moment, i, j));
        add_presence(row, window, i);
        row.add(-1, window.compute[j]).at_least(0, milp_);
      }
    }
  }

  /// I[w,i] <= P[i]. Valid: rule 4; when the copy was made is not looked at.
  void add_copies(const Window& window) {
    for (int i = 0; i < window.moment; ++i) {
      if (window.page_in[i].is_zero()) continue;
      RowBuilder(fmt::format("copy_{}_{}", window.moment, i))
          .add(1, window.page_in[i])
          .add(-1, paged_[i])
          .at_most(0, milp_);
    }
  }

  /// S[w+1,i] <= S[w,i] + R[w,i] + I[w,i].
  /// Valid: what is in RAM at a moment was so at the one before, or was brought since.
  void add_hand_over(const Window& before, const Window& window) {
    for (int i = 0; i < before.moment; ++i) {
      if (window.held[i].is_constant()) continue;
      RowBuilder row(fmt::format("hand_over_{}_{}", window.moment, i));
      add_presence(row, before, i);
      row.add(-1, window.held[i]).at_least(0, milp_);
    }
  }

  /// sum M_i S[w,i] <= B, rounded. Valid: rule 5 at the moment.
  void add_memory(const Window& window) {
    Knapsack knapsack{.capacity = problem_.limits.ram_budget_bytes};
    MilpRow row{.name = fmt::format("ram_{}", window.moment)};
    for (int i = 0; i <= window.moment; ++i) {
      const Bytes bytes = graph_.nodes[i].bytes;
      knapsack.capacity -= bytes * window.held[i].constant;
      if (bytes == 0 || window.held[i].is_constant()) continue;
      knapsack.weights.push_back(bytes);
      row.terms.push_back({.column = window.held[i].columns[0]});
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

  /// K[w+1,i] <= K[w,i] + R[w,i], K[w,i] <= S[w,i] and S[w,i] <= K[w,i] + P[i].
  /// Valid: K says "in RAM at the moment without a page-in since the first one that i has seen";
  /// without a copy it comes only from keeping and recomputing.
  void add_page_out_link() {
    for (int i = 0; i < graph_.size(); ++i) {
      if (paged_[i].is_zero()) continue;
      const Window* before = nullptr;
      Quantity unpaged;
      for (const Window& window : windows_) {
        if (i >= window.moment) continue;
        const Quantity& held = window.held[i];
        if (held.is_zero()) break;  // of no use any more
        const Quantity previous = unpaged;
        unpaged = before == nullptr ? held : column("K", window.moment, i);
        if (before != nullptr) link(window, i, unpaged, previous, before->compute[i]);
        before = &window;
      }
    }
  }

  void link(const Window& window, int i, const Quantity& unpaged, const Quantity& previous,
            const Quantity& computed) {
    milp_.columns[unpaged.columns[0]].integer = false;
    const auto row = [&](const char* name) {
      return RowBuilder(fmt::format("{}_{}_{}", name, window.moment, i));
    };
    const Quantity& held = window.held[i];
    row("link_from").add(1, unpaged).add(-1, previous).add(-1, computed).at_most(0, milp_);
    row("link_held").add(1, unpaged).add(-1, held).at_most(0, milp_);
    row("link_paged").add(1, held).add(-1, unpaged).add(-1, paged_[i]).at_most(0, milp_);
  }

  /// sum C_i R[w,i] <= budget - sum C_i. Valid: rule 6; a window counts a recomputation once. The
  /// budget has the simulator's slack.
  void add_runtime() {
    RowBuilder row("runtime");
    for (const Node& node : graph_.nodes) row.add(node.runtime_seconds, Quantity::one());
    for (const Window& window : windows_) {
      for (int i = 0; i < window.moment; ++i) {
        if (graph_.nodes[i].runtime_seconds > 0) {
          row.add(graph_.nodes[i].runtime_seconds, window.compute[i]);
        }
      }
    }
    row.at_most(problem_.limits.runtime_budget_seconds * (1 + kRuntimeSlack), milp_);
  }

  const Problem& problem_;
  const Graph& graph_;
  const Scope& scope_;
  Milp milp_;
  std::vector<Quantity> paged_;
  std::vector<Window> windows_;
};

}  // namespace

Milp coarse_model(const Problem& problem, const Scope& scope, int windows) {
  return CoarseModel(problem, scope).build(windows);
}

}  // namespace poet
