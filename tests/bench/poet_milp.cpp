#include "poet_milp.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace poet::bench {
namespace {

struct Edge {
  int from = 0;
  int to = 0;
};

std::vector<Edge> edges_of(const Graph& graph) {
  std::vector<Edge> edges;
  for (int k = 0; k < graph.size(); ++k) {
    for (const int input : graph.nodes[k].inputs) edges.push_back({input, k});
  }
  return edges;
}

/// A power of two; likewise.
double bytes_per_unit(const Problem& problem) {
  const auto budget = static_cast<double>(std::max<Bytes>(problem.limits.ram_budget_bytes, 1));
  return std::exp2(std::floor(std::log2(budget)) - 9);
}

/// A power of ten; see make_poet_milp().
double units_per_joule(const Problem& problem) {
  const Joules energy = baseline(problem.graph).energy_joules;
  return energy > 0 ? std::pow(10.0, 3 - std::floor(std::log10(energy))) : 1;
}

class Builder {
 public:
  explicit Builder(const Problem& problem)
      : graph_(problem.graph),
        limits_(problem.limits),
        count_(problem.graph.size()),
        edges_(edges_of(problem.graph)),
        at_(count_, static_cast<int>(edges_.size())),
        units_per_joule_(units_per_joule(problem)),
        bytes_per_unit_(bytes_per_unit(problem)) {}

  PoetMilp build() {
    add_columns();
    add_shape();
    add_inputs();
    add_residency();
    add_transfers();
    for (int t = 0; t < count_; ++t) {
      for (int e = 0; e < static_cast<int>(edges_.size()); ++e) add_free(t, e);
      add_ram(t);
    }
    add_runtime();
    return {.milp = std::move(milp_),
            .columns = at_,
            .units_per_joule = units_per_joule_,
            .bytes_per_unit = bytes_per_unit_};
  }

 private:
  void add_columns() {
    const auto& nodes = graph_.nodes;
    add_matrix("R", true, [&](int i) { return nodes[i].energy_joules; });
    add_matrix("Sram", true, [](int) { return 0.0; });
    add_matrix("Ssd", limits_.techniques.paging, [](int) { return 0.0; });
    add_matrix("Min", limits_.techniques.paging,
               [&](int i) { return nodes[i].page_in_energy_joules; });
    add_matrix("Mout", limits_.techniques.paging,
               [&](int i) { return nodes[i].page_out_energy_joules; });
    for (int t = 0; t < count_; ++t) {
      for (const Edge& edge : edges_) {
        milp_.add_column({.name = fmt::format("Free_{}_{}_{}", t, edge.from, edge.to)});
      }
    }
    const double budget = static_cast<double>(limits_.ram_budget_bytes) / bytes_per_unit_;
    for (int t = 0; t < count_; ++t) {
      for (int k = 0; k < count_; ++k) {
        milp_.add_column({.name = fmt::format("U_{}_{}", t, k), .upper = budget, .integer = false});
      }
    }
    if (!limits_.techniques.remat) forbid_recomputation();
  }

  template <typename Cost>
  void add_matrix(const char* name, bool allowed, const Cost& cost) {
    for (int t = 0; t < count_; ++t) {
      for (int i = 0; i < count_; ++i) {
        milp_.add_column({.name = fmt::format("{}_{}_{}", name, t, i),
                          .cost = cost(i) * units_per_joule_,
                          .upper = allowed ? 1.0 : 0.0});
      }
    }
  }

  void forbid_recomputation() {
    for (int t = 0; t < count_; ++t) {
      for (int i = 0; i < count_; ++i) {
        MilpColumn& column = milp_.columns[at_.compute(t, i)];
        column.lower = column.upper = t == i ? 1 : 0;
      }
    }
  }

  using Place = int (PoetColumns::*)(int, int) const;

  /// Nothing is computed or moved before its stage, nothing is kept before it exists, and stage t
  /// computes node t: six sums.
  void add_shape() {
    add_zero_above("R", &PoetColumns::compute, 1);
    add_zero_above("Sram", &PoetColumns::resident, 0);
    add_zero_above("Ssd", &PoetColumns::stored, 0);
    add_zero_above("Min", &PoetColumns::page_in, 1);
    add_zero_above("Mout", &PoetColumns::page_out, 1);
    MilpRow row = equality("diagonal_R", count_);
    for (int t = 0; t < count_; ++t) row.terms.push_back({at_.compute(t, t), 1});
    milp_.rows.push_back(std::move(row));
  }

  /// sum of entries[t, i] with i >= t + `from` = 0
  void add_zero_above(const char* name, Place place, int from) {
    MilpRow row = equality(fmt::format("above_{}", name), 0);
    for (int t = 0; t < count_; ++t) {
      for (int i = t + from; i < count_; ++i) row.terms.push_back({(at_.*place)(t, i), 1});
    }
    milp_.rows.push_back(std::move(row));
  }

  /// R[t,v] <= R[t,u] + S_ram[t,u] for every edge (u,v)
  void add_inputs() {
    for (int t = 0; t < count_; ++t) {
      for (const auto& [u, v] : edges_) {
        add_at_most(fmt::format("input_{}_{}_{}", t, u, v), 0,
                    {{at_.compute(t, v), 1}, {at_.compute(t, u), -1}, {at_.resident(t, u), -1}});
      }
    }
  }

  /// S_ram[t+1,i] <= S_ram[t,i] + R[t,i] + M_in[t,i] and S_sd[t+1,i] <= S_sd[t,i] + M_out[t,i]
  void add_residency() {
    for (int t = 0; t + 1 < count_; ++t) {
      for (int i = 0; i < count_; ++i) {
        add_at_most(fmt::format("resident_{}_{}", t, i), 0,
                    {{at_.resident(t + 1, i), 1},
                     {at_.resident(t, i), -1},
                     {at_.compute(t, i), -1},
                     {at_.page_in(t, i), -1}});
        add_at_most(fmt::format("stored_{}_{}", t, i), 0,
                    {{at_.stored(t + 1, i), 1}, {at_.stored(t, i), -1}, {at_.page_out(t, i), -1}});
      }
    }
  }

  /// M_in[t,i] <= S_sd[t,i] and M_out[t,i] <= S_ram[t,i]
  void add_transfers() {
    for (int t = 0; t < count_; ++t) {
      for (int i = 0; i < count_; ++i) {
        add_at_most(fmt::format("page_in_{}_{}", t, i), 0,
                    {{at_.page_in(t, i), 1}, {at_.stored(t, i), -1}});
        add_at_most(fmt::format("page_out_{}_{}", t, i), 0,
                    {{at_.page_out(t, i), 1}, {at_.resident(t, i), -1}});
      }
    }
  }

  /// For an edge (i,k), hazards = 1 - R[t,k] + S_ram[t+1,i] + sum of R[t,j] over the users j > k
  /// of i: what stands against freeing i after k. With H the most that it can be:
  /// 1 - Free <= hazards <= H (1 - Free)
  void add_free(int t, int e) {
    const auto [i, k] = edges_[e];
    const int free = at_.free(t, e);
    std::vector<MilpTerm> hazards{{at_.compute(t, k), -1}};
    double most = 1;
    const auto add_hazard = [&](int column) {
      hazards.push_back({column, 1});
      ++most;
    };
    if (t + 1 < count_) add_hazard(at_.resident(t + 1, i));
    for (const int j : graph_.users[i]) {
      if (j > k) add_hazard(at_.compute(t, j));
    }
    MilpRow low{.name = fmt::format("kept_{}_{}_{}", t, i, k), .lower = 0, .terms = hazards};
    low.terms.push_back({free, 1});
    milp_.rows.push_back(std::move(low));
    hazards.push_back({free, most});
    add_at_most(fmt::format("freed_{}_{}_{}", t, i, k), most - 1, std::move(hazards));
  }

  /// U[t,0] = R[t,0] m_0 + sum of S_ram[t,i] m_i, and
  /// U[t,k+1] = U[t,k] + R[t,k+1] m_{k+1} - sum over the inputs i of k of m_i Free[t,(i,k)]
  void add_ram(int t) {
    MilpRow start = equality(fmt::format("ram_{}_0", t), 0);
    start.terms = {{at_.ram(t, 0), 1}, {at_.compute(t, 0), -bytes(0)}};
    for (int i = 0; i < count_; ++i) start.terms.push_back({at_.resident(t, i), -bytes(i)});
    milp_.rows.push_back(std::move(start));
    std::size_t e = 0;  // edges are in the order of their users
    for (int k = 0; k + 1 < count_; ++k) {
      MilpRow row = equality(fmt::format("ram_{}_{}", t, k + 1), 0);
      row.terms = {
          {at_.ram(t, k + 1), 1}, {at_.ram(t, k), -1}, {at_.compute(t, k + 1), -bytes(k + 1)}};
      for (; e < edges_.size() && edges_[e].to == k; ++e) {
        row.terms.push_back({at_.free(t, static_cast<int>(e)), bytes(edges_[e].from)});
      }
      milp_.rows.push_back(std::move(row));
    }
  }

  /// sum of R[t,i] c_i <= runtime budget
  void add_runtime() {
    std::vector<MilpTerm> terms;
    for (int t = 0; t < count_; ++t) {
      for (int i = 0; i < count_; ++i) {
        terms.push_back({at_.compute(t, i), graph_.nodes[i].runtime_seconds});
      }
    }
    add_at_most("runtime", limits_.runtime_budget_seconds, std::move(terms));
  }

  double bytes(int i) const { return static_cast<double>(graph_.nodes[i].bytes) / bytes_per_unit_; }

  static MilpRow equality(std::string name, double value) {
    return {.name = std::move(name), .lower = value, .upper = value, .terms = {}};
  }

  void add_at_most(std::string name, double bound, std::vector<MilpTerm> terms) {
    milp_.rows.push_back({.name = std::move(name), .upper = bound, .terms = std::move(terms)});
  }

  const Graph& graph_;
  const Limits& limits_;
  int count_;
  std::vector<Edge> edges_;
  PoetColumns at_;
  double units_per_joule_;
  double bytes_per_unit_;
  Milp milp_;
};

}  // namespace

PoetMilp make_poet_milp(const Problem& problem) {
  return Builder(problem).build();
}

Schedule schedule_of(const PoetColumns& at, const Graph& graph, std::span<const double> values) {
  const int count = graph.size();
  const auto is_set = [&](int column) { return values[column] > 0.5; };
  // What is resident and computed again need not have been resident: its users come later.
  const auto is_resident = [&](int t, int i) {
    if (t >= count || !is_set(at.resident(t, i))) return false;
    return !is_set(at.compute(t, i)) || is_set(at.page_out(t, i));
  };
  Schedule schedule;
  std::vector<bool> copied(count);
  for (int t = 0; t < count; ++t) {
    Stage stage;
    for (int i = 0; i <= t; ++i) {
      const bool resident = is_resident(t, i);
      const bool computed = is_set(at.compute(t, i)) && !resident;
      if (resident) stage.resident.push_back(i);
      if (computed) stage.compute.push_back(i);
      if (is_set(at.page_in(t, i)) && !resident && !computed && is_resident(t + 1, i)) {
        stage.page_in.push_back(i);
      }
      if (!is_set(at.page_out(t, i)) || copied[i]) continue;
      stage.page_out.push_back(i);
      copied[i] = true;
    }
    schedule.stages.push_back(std::move(stage));
  }
  return schedule;
}

}  // namespace poet::bench
