#include "support/oracle.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace poet::test {
namespace {

/// A set of nodes, one bit each.
using Set = std::uint32_t;

Set only(int node) {
  return Set{1} << node;
}

int lowest(Set set) {
  return std::countr_zero(set);
}

Set without_lowest(Set set) {
  return set & (set - 1);
}

std::vector<int> members(Set set) {
  std::vector<int> list;
  for (; set != 0; set = without_lowest(set)) list.push_back(lowest(set));
  return list;
}

/// Calls f for every subset, the empty one and the set itself included.
template <typename Function>
void for_each_subset(Set set, Function f) {
  for (Set subset = set;; subset = (subset - 1) & set) {
    f(subset);
    if (subset == 0) return;
  }
}

/// The sizes and costs of a graph's nodes, by set if that saves time.
struct Tables {
  explicit Tables(const Graph& graph) : size(graph.size()) {
    for (const Node& node : graph.nodes) {
      Set read = 0;
      for (const int input : node.inputs) read |= only(input);
      inputs.push_back(read);
    }
    const std::size_t sets = std::size_t{1} << size;
    bytes.resize(sets);
    compute_joules.resize(sets);
    compute_seconds.resize(sets);
    page_in_joules.resize(sets);
    page_out_joules.resize(sets);
    for (std::size_t set = 1; set < sets; ++set) {
      const Set rest = without_lowest(static_cast<Set>(set));
      const Node& node = graph.nodes[lowest(static_cast<Set>(set))];
      bytes[set] = bytes[rest] + node.bytes;
      compute_joules[set] = compute_joules[rest] + node.energy_joules;
      compute_seconds[set] = compute_seconds[rest] + node.runtime_seconds;
      page_in_joules[set] = page_in_joules[rest] + node.page_in_energy_joules;
      page_out_joules[set] = page_out_joules[rest] + node.page_out_energy_joules;
    }
  }

  int size;
  std::vector<Set> inputs;  // by node
  std::vector<Bytes> bytes;
  std::vector<Joules> compute_joules;
  std::vector<Seconds> compute_seconds;
  std::vector<Joules> page_in_joules;
  std::vector<Joules> page_out_joules;
};

/// One way to arrive at the start of a stage, and the stage before as it was run.
struct Label {
  Joules joules = 0;
  Seconds seconds = 0;
  int parent = -1;
  Set resident = 0;
  Set computed = 0;
  Set page_out = 0;
  Set page_in = 0;
};

/// All that is worth knowing at the start of a stage: for every pair of (tensors resident, copies
/// stored) the labels that no other label beats in both energy and runtime.
class Boundary {
 public:
  explicit Boundary(int size) : size_(size), labels_(std::size_t{1} << (2 * size)) {}

  std::vector<int>& at(Set resident, Set stored) {
    return labels_[resident | std::size_t{stored} << size_];
  }

 private:
  int size_;
  std::vector<std::vector<int>> labels_;  // indices into the list of all labels
};

class Search {
 public:
  Search(const Graph& graph, const Limits& limits) : tables_(graph), limits_(limits) {}

  std::optional<OracleAnswer> run() {
    const int size = tables_.size;
    all_.push_back({});
    Boundary now(size);
    now.at(0, 0).push_back(0);
    for (int t = 0; t < size; ++t) {
      Boundary next(size);
      for (Set resident = 0; resident < only(t); ++resident) run_stage(t, resident, now, next);
      now = std::move(next);
    }
    return cheapest(now);
  }

 private:
  /// Every way to run stage t from these residents.
  void run_stage(int t, Set resident, Boundary& now, Boundary& next) {
    bool reached = false;
    for (Set stored = 0; stored < only(t); ++stored) reached |= !now.at(resident, stored).empty();
    if (!reached) return;
    const Set absent = (only(t) - 1) & ~resident;
    for_each_subset(limits_.remat ? absent : 0, [&](Set recomputed) {
      const Set computed = recomputed | only(t);
      if (!inputs_there(resident, computed)) return;
      // After the last stage nothing is of use any more.
      const Set keepable = t + 1 < tables_.size ? resident | computed : 0;
      for_each_subset(keepable, [&](Set kept) {
        if (!fits(resident, computed, kept)) return;
        for (Set stored = 0; stored < only(t); ++stored) {
          for (const int label : now.at(resident, stored)) {
            transfer(t, resident, computed, kept, stored, label, next);
          }
        }
      });
    });
  }

  /// Rule 1. In index order an input comes before its user, and it goes only after its last user.
  bool inputs_there(Set resident, Set computed) const {
    for (Set left = computed; left != 0; left = without_lowest(left)) {
      if ((tables_.inputs[lowest(left)] & ~(resident | computed)) != 0) return false;
    }
    return true;
  }

  /// Rule 5, computation by computation.
  bool fits(Set resident, Set computed, Set kept) const {
    Set held = resident;
    for (Set left = computed; left != 0; left = without_lowest(left)) {
      const int k = lowest(left);
      held |= only(k);
      if (tables_.bytes[held] > limits_.ram_budget_bytes) return false;
      Set read_later = 0;
      for (Set later = without_lowest(left); later != 0; later = without_lowest(later)) {
        read_later |= tables_.inputs[lowest(later)];
      }
      held &= ~(tables_.inputs[k] & ~read_later & ~kept);
    }
    return true;
  }

  /// Rules 3 and 4: every choice of transfers in a stage whose computations are settled.
  void transfer(int t, Set resident, Set computed, Set kept, Set stored, int from, Boundary& next) {
    const bool worthwhile = limits_.paging && t + 1 < tables_.size;
    const Set readable = worthwhile ? stored & ~(resident | computed) : 0;
    // A copy that exists need not be made again: that would cost, and change nothing.
    const Set writable = worthwhile ? resident & ~stored : 0;
    for_each_subset(readable, [&](Set page_in) {
      for_each_subset(writable, [&](Set page_out) {
        const Label& before = all_[from];
        const Label after{.joules = before.joules + tables_.compute_joules[computed] +
                                    tables_.page_in_joules[page_in] +
                                    tables_.page_out_joules[page_out],
                          .seconds = before.seconds + tables_.compute_seconds[computed],
                          .parent = from,
                          .resident = resident,
                          .computed = computed,
                          .page_out = page_out,
                          .page_in = page_in};
        if (after.seconds > limits_.runtime_budget_seconds) return;
        add(next.at(kept | page_in, stored | page_out), after);
      });
    });
  }

  void add(std::vector<int>& labels, const Label& label) {
    const auto no_worse = [](const Label& a, const Label& b) {
      return a.joules <= b.joules && a.seconds <= b.seconds;
    };
    for (const int other : labels) {
      if (no_worse(all_[other], label)) return;
    }
    std::erase_if(labels, [&](int other) { return no_worse(label, all_[other]); });
    labels.push_back(static_cast<int>(all_.size()));
    all_.push_back(label);
  }

  std::optional<OracleAnswer> cheapest(Boundary& end) const {
    int best = -1;
    for (Set stored = 0; stored < only(tables_.size); ++stored) {
      for (const int label : end.at(0, stored)) {
        if (best < 0 || all_[label].joules < all_[best].joules) best = label;
      }
    }
    if (best < 0) return std::nullopt;
    OracleAnswer answer{.energy_joules = all_[best].joules, .runtime_seconds = all_[best].seconds};
    for (int label = best; all_[label].parent >= 0; label = all_[label].parent) {
      const Label& step = all_[label];
      answer.schedule.stages.push_back({.resident = members(step.resident),
                                        .compute = members(step.computed),
                                        .page_out = members(step.page_out),
                                        .page_in = members(step.page_in)});
    }
    std::reverse(answer.schedule.stages.begin(), answer.schedule.stages.end());
    return answer;
  }

  Tables tables_;
  const Limits& limits_;
  std::vector<Label> all_;
};

}  // namespace

std::optional<OracleAnswer> ask_oracle(const Graph& graph, const Limits& limits) {
  if (graph.size() > kOracleNodes) throw std::invalid_argument("too many nodes for the oracle");
  return Search(graph, limits).run();
}

}  // namespace poet::test
