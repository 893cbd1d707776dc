// The judge. Every schedule is replayed here before it can become an answer, whether it comes from
// the solver, from a file or from another program, and a bound only counts if a replayed schedule
// meets it. So this file has to be right by inspection: it follows the rules of
// docs/schedule-format.md one after the other, counts RAM in whole bytes, recomputes everything
// from the lists of each stage, and uses nothing of src/solver, not even a helper. What the two
// have in common is the text of the rules.
//
// The idea is a certificate checker, as SAT solvers have for their proofs: a solver may be clever
// as long as a simple program confirms what it found. It paid off: docs/trust.md lists the faults
// of the solver that this file, or an oracle behind it, has uncovered.
//
// It never stops at the first violation. Entries that mean nothing are reported and skipped, and
// the replay goes on, so that somebody who writes schedules by hand sees all that is wrong at once.

#include "poet/simulate.hpp"

#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "schedule/charges.hpp"
#include "schedule/findings.hpp"
#include "schedule/ram.hpp"

namespace poet {
namespace {

class Simulator {
 public:
  Simulator(const Graph& graph, const Schedule& schedule, const Limits& limits)
      : graph_(graph),
        schedule_(schedule),
        limits_(limits),
        available_(graph.size()),
        stored_(graph.size()),
        charges_(graph, limits.paging_time, replay_) {}

  std::optional<Replay> run(const std::function<bool()>& stop) {
    check_stage_count();
    for (int t = 0; t < stage_count(); ++t) {
      if (stop()) return std::nullopt;
      run_stage(t);
    }
    charges_.finish();
    check_budgets(findings_, replay_, limits_);
    replay_.violations = findings_.take();
    return std::move(replay_);
  }

 private:
  int stage_count() const { return static_cast<int>(schedule_.stages.size()); }
  std::string label(int node) const { return node_label(graph_, node); }

  void check_stage_count() {
    if (stage_count() == graph_.size()) return;
    findings_.add(Rule::structure,
                  fmt::format("{} stages for {} nodes; expected one stage per node", stage_count(),
                              graph_.size()));
  }

  void run_stage(int t) {
    const Stage stage = well_formed(t);
    const NodeSet resident(graph_.size(), stage.resident);
    const NodeSet computed(graph_.size(), stage.compute);
    const NodeSet next = next_resident(t);

    check_order(t);
    check_residents(t, stage);
    run_computations(t, stage, resident, next);
    run_page_outs(t, stage, resident);
    run_page_ins(t, stage, resident, computed, next);
    charges_.end_stage();

    // What stage t + 1 may call resident (rule 2), and what it may page in (rule 4): a copy counts
    // from the stage after its page-out on, and is never lost.
    available_ = resident;
    available_.insert(stage.compute);
    available_.insert(stage.page_in);
    stored_.insert(stage.page_out);
  }

  /// Returns the stage without the entries that mean nothing, so that the replay can go on.
  Stage well_formed(int t) {
    const Stage& stage = schedule_.stages[t];
    return {.resident = well_formed(t, "resident", stage.resident),
            .compute = well_formed(t, "compute", stage.compute),
            .page_out = well_formed(t, "page_out", stage.page_out),
            .page_in = well_formed(t, "page_in", stage.page_in)};
  }

  std::vector<int> well_formed(int t, const char* list_name, const std::vector<int>& list) {
    NodeSet seen(graph_.size());
    std::vector<int> kept;
    for (const int node : list) {
      if (!seen.in_range(node)) {
        findings_.add(Rule::structure, t, node,
                      fmt::format("{} lists {}, which is not a node of the graph (0 to {})",
                                  list_name, node, graph_.size() - 1));
      } else if (!seen.insert(node)) {
        findings_.add(Rule::structure, t, node,
                      fmt::format("{} lists {} more than once", list_name, label(node)));
      } else {
        kept.push_back(node);
      }
    }
    return kept;
  }

  NodeSet next_resident(int t) const {
    if (t + 1 >= stage_count()) return NodeSet(graph_.size());
    return NodeSet(graph_.size(), schedule_.stages[t + 1].resident);
  }

  void check_order(int t) {
    const std::vector<int>& compute = schedule_.stages[t].compute;
    if (compute.empty() || compute.back() != t) {
      findings_.add(Rule::structure, t, t,
                    fmt::format("the last computation must be {}", label(t)));
    }
    for (std::size_t at = 1; at < compute.size(); ++at) {
      if (compute[at - 1] <= compute[at]) continue;  // equal ones are reported as repeated
      findings_.add(Rule::structure, t, compute[at],
                    fmt::format("{} is computed after {}; expected ascending order",
                                label(compute[at]), label(compute[at - 1])));
    }
  }

  /// Rule 2.
  void check_residents(int t, const Stage& stage) {
    for (const int node : stage.resident) {
      if (available_.has(node)) continue;
      findings_.add(Rule::residency, t, node,
                    fmt::format("{} is resident, but was not resident, computed or paged in one "
                                "stage before",
                                label(node)));
    }
  }

  /// Rules 1 and 5. The output is added before any input goes: both are in RAM during a
  /// computation, unless the output takes over an input that goes.
  void run_computations(int t, const Stage& stage, const NodeSet& resident, const NodeSet& next) {
    Ram ram(graph_, stage.resident);
    NodeSet stays = next;
    Bytes arriving = 0;
    if (limits_.paging_time == PagingTime::overlapped) {
      stays.insert(stage.page_out);
      for (const int node : stage.page_in) arriving += graph_.nodes[node].bytes;
    }
    Bytes peak = ram.bytes() + arriving;
    int peak_node = -1;
    std::vector<int> uses_left = count_uses(stage.compute);
    for (const int node : stage.compute) {
      check_computation(t, node, resident, ram);
      ram.add(node);
      const auto goes = [&](int input) { return uses_left[input] == 1 && !stays.has(input); };
      const std::optional<int> over = graph_.nodes[node].in_place;
      const bool takes_over = over && ram.holds(*over) && goes(*over);
      const Bytes now = ram.bytes() + arriving + graph_.nodes[node].workspace_bytes -
                        (takes_over ? graph_.nodes[*over].bytes : 0);
      if (now > peak) {
        peak = now;
        peak_node = node;
      }
      for (const int input : graph_.nodes[node].inputs) {
        if (goes(input)) ram.free(input);
        --uses_left[input];
      }
      charges_.compute(node, node != t);
    }
    check_peak(t, peak, peak_node);
  }

  /// Returns by node how many of these computations read it.
  std::vector<int> count_uses(const std::vector<int>& compute) const {
    std::vector<int> uses(graph_.nodes.size(), 0);
    for (const int node : compute) {
      for (const int input : graph_.nodes[node].inputs) ++uses[input];
    }
    return uses;
  }

  void check_computation(int t, int node, const NodeSet& resident, const Ram& ram) {
    for (const int input : graph_.nodes[node].inputs) {
      if (ram.holds(input)) continue;
      findings_.add(
          Rule::inputs, t, node,
          fmt::format("computing {} needs {}, which is not in RAM", label(node), label(input)));
    }
    if (resident.has(node)) {
      findings_.add(Rule::structure, t, node,
                    fmt::format("{} is computed although it is resident", label(node)));
    }
    if (node != t && !limits_.techniques.remat) {
      findings_.add(Rule::structure, t, node,
                    fmt::format("{} is recomputed, but recomputation is not allowed", label(node)));
    }
    check_once(t, node);
  }

  /// Rule 8, and what the computation does to parameters.
  void check_once(int t, int node) {
    const Node& computed = graph_.nodes[node];
    if (node != t && !computed.recompute) {
      findings_.add(Rule::once, t, node,
                    fmt::format("{} is recomputed, but may be computed once only", label(node)));
    }
    for (const std::string& name : computed.reads_parameters) {
      if (!changed_parameters_.contains(name)) continue;
      findings_.add(Rule::once, t, node,
                    fmt::format("{} reads the parameters '{}', which have been changed",
                                label(node), printable(name)));
    }
    changed_parameters_.insert(computed.writes_parameters.begin(),
                               computed.writes_parameters.end());
  }

  void check_peak(int t, Bytes peak, int node) {
    replay_.stage_peak_ram_bytes.push_back(peak);
    if (peak > replay_.peak_ram_bytes) replay_.peak_ram_bytes = peak;
    if (peak <= limits_.ram_budget_bytes) return;
    const std::string when =
        node < 0 ? std::string("at its start") : fmt::format("while computing {}", label(node));
    findings_.add(Rule::ram, t, node,
                  fmt::format("{} bytes are in RAM {}; the budget is {} bytes", peak, when,
                              limits_.ram_budget_bytes));
  }

  /// Rule 3. Paging out again what has a copy already is allowed, and charged: it is wasteful, not
  /// wrong.
  void run_page_outs(int t, const Stage& stage, const NodeSet& resident) {
    for (const int node : stage.page_out) {
      check_paging_allowed(t, node, "out");
      if (!resident.has(node)) {
        findings_.add(
            Rule::page_out, t, node,
            fmt::format("{} is paged out, but is not resident at the stage's start", label(node)));
      }
      charges_.page_out(node);
    }
  }

  void run_page_ins(int t, const Stage& stage, const NodeSet& resident, const NodeSet& computed,
                    const NodeSet& next) {
    for (const int node : stage.page_in) {
      check_paging_allowed(t, node, "in");
      check_page_in(t, node, resident, computed, next);
      charges_.page_in(node);
    }
  }

  /// Rule 4. The last three checks forbid transfers that cannot serve any purpose.
  void check_page_in(int t, int node, const NodeSet& resident, const NodeSet& computed,
                     const NodeSet& next) {
    const auto report = [&](const char* what) {
      findings_.add(Rule::page_in, t, node,
                    fmt::format("{} is paged in, but {}", label(node), what));
    };
    if (!stored_.has(node)) report("was never paged out before");
    if (resident.has(node)) report("is resident already");
    if (computed.has(node)) report("is computed in the same stage");
    if (!next.has(node)) report("is not resident in the next stage");
  }

  void check_paging_allowed(int t, int node, const char* direction) {
    if (!graph_.nodes[node].page) {
      findings_.add(Rule::once, t, node,
                    fmt::format("{} is paged {}, but may not be paged", label(node), direction));
    }
    if (limits_.techniques.paging) return;
    findings_.add(Rule::structure, t, node,
                  fmt::format("{} is paged {}, but paging is not allowed", label(node), direction));
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const Limits& limits_;
  NodeSet available_;  ///< what the current stage may call resident
  NodeSet stored_;     ///< what has a copy in secondary storage when the stage starts
  std::set<std::string, std::less<>> changed_parameters_;
  Findings findings_;
  Replay replay_;
  Charges charges_;
};

}  // namespace

bool within_runtime_budget(Seconds runtime, Seconds budget) {
  return runtime <= budget * (1 + kRuntimeSlack);
}

std::optional<Replay> simulate_until(const Graph& graph, const Schedule& schedule,
                                     const Limits& limits, const std::function<bool()>& stop) {
  return Simulator(graph, schedule, limits).run(stop);
}

Replay simulate(const Graph& graph, const Schedule& schedule, const Limits& limits) {
  return simulate_until(graph, schedule, limits, [] { return false; }).value();
}

}  // namespace poet
