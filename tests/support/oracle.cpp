#include "support/oracle.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
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
      workspace.push_back(node.workspace_bytes);
      over.push_back(node.in_place ? only(*node.in_place) : 0);
      if (node.page) pageable |= only(static_cast<int>(inputs.size()) - 1);
    }
    for (int t = 0; t < size; ++t) renewable.push_back(renewable_in(graph, t));
    const std::size_t sets = std::size_t{1} << size;
    bytes.resize(sets);
    compute_joules.resize(sets);
    compute_seconds.resize(sets);
    page_in_joules.resize(sets);
    page_out_joules.resize(sets);
    page_in_seconds.resize(sets);
    page_out_seconds.resize(sets);
    copied_bytes.resize(sets);
    for (std::size_t set = 1; set < sets; ++set) {
      const Set rest = without_lowest(static_cast<Set>(set));
      const Node& node = graph.nodes[lowest(static_cast<Set>(set))];
      bytes[set] = bytes[rest] + node.bytes;
      compute_joules[set] = compute_joules[rest] + node.energy_joules;
      compute_seconds[set] = compute_seconds[rest] + node.runtime_seconds;
      page_in_joules[set] = page_in_joules[rest] + node.page_in_energy_joules;
      page_out_joules[set] = page_out_joules[rest] + node.page_out_energy_joules;
      page_in_seconds[set] = page_in_seconds[rest] + node.page_in_seconds;
      page_out_seconds[set] = page_out_seconds[rest] + node.page_out_seconds;
      copied_bytes[set] = copied_bytes[rest] + node.storage_bytes.value_or(node.bytes);
    }
  }

  /// What stage t may compute besides its own node: not what is computed once, and nothing that
  /// reads parameters that an earlier stage's node has changed.
  static Set renewable_in(const Graph& graph, int t) {
    std::set<std::string> changed;
    for (int w = 0; w < t; ++w) {
      for (const std::string& name : graph.nodes[w].writes_parameters) changed.insert(name);
    }
    Set result = 0;
    for (int i = 0; i < t; ++i) {
      bool fresh = graph.nodes[i].recompute;
      for (const std::string& name : graph.nodes[i].reads_parameters) {
        fresh = fresh && !changed.contains(name);
      }
      if (fresh) result |= only(i);
    }
    return result;
  }

  int size;
  std::vector<Set> inputs;       // by node
  std::vector<Set> over;         // by node: what its output may take over, or nothing
  std::vector<Bytes> workspace;  // by node
  std::vector<Set> renewable;    // by stage
  Set pageable = 0;
  std::vector<Bytes> bytes;
  std::vector<Joules> compute_joules;
  std::vector<Seconds> compute_seconds;
  std::vector<Joules> page_in_joules;
  std::vector<Joules> page_out_joules;
  std::vector<Seconds> page_in_seconds;
  std::vector<Seconds> page_out_seconds;
  std::vector<Bytes> copied_bytes;  // in secondary storage
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

/// All that is worth knowing at the start of a stage, before which there were `size`: for every
/// pair of (tensors resident, copies stored) the labels that no other label beats in both energy
/// and runtime.
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
  Search(const Graph& graph, const Limits& limits, Joules most_joules)
      : tables_(graph), limits_(limits), most_joules_(most_joules), rest_(graph.nodes.size() + 1) {
    for (int t = graph.size() - 1; t >= 0; --t) {
      rest_[t] = rest_[t + 1] + graph.nodes[t].energy_joules;
    }
  }

  std::optional<OracleAnswer> run() {
    const int size = tables_.size;
    all_.push_back({});
    Boundary now(0);
    now.at(0, 0).push_back(0);
    for (int t = 0; t < size; ++t) {
      Boundary next(t + 1);
      for (Set resident = 0; resident < only(t); ++resident) run_stage(t, resident, now, next);
      now = std::move(next);
    }
    return cheapest(now);
  }

 private:
  /// Every way to run stage t from these residents.
  void run_stage(int t, Set resident, Boundary& now, Boundary& next) {
    Joules least = std::numeric_limits<Joules>::infinity();
    for (Set stored = 0; stored < only(t); ++stored) {
      for (const int label : now.at(resident, stored)) least = std::min(least, all_[label].joules);
    }
    if (least == std::numeric_limits<Joules>::infinity()) return;
    const Set absent = tables_.renewable[t] & ~resident;
    for_each_subset(limits_.techniques.remat ? absent : 0, [&](Set recomputed) {
      const Set computed = recomputed | only(t);
      if (is_too_much(least + tables_.compute_joules[computed], t)) return;
      if (!inputs_there(resident, computed)) return;
      // After the last stage nothing is of use any more.
      const Set keepable = t + 1 < tables_.size ? resident | computed : 0;
      for_each_subset(keepable, [&](Set kept) {
        if (!fits({.resident = resident, .computed = computed}, kept)) return;
        for (Set stored = 0; stored < only(t); ++stored) {
          for (const int label : now.at(resident, stored)) {
            transfer(t, resident, computed, kept, stored, label, next);
          }
        }
      });
    });
  }

  /// After stage t, whose successors compute each node once at least.
  bool is_too_much(Joules joules, int t) const {
    constexpr double kRounding = 1e-12;
    return joules + rest_[t + 1] > most_joules_ * (1 + kRounding);
  }

  /// Rule 1. In index order an input comes before its user, and it goes only after its last user.
  bool inputs_there(Set resident, Set computed) const {
    for (Set left = computed; left != 0; left = without_lowest(left)) {
      if ((tables_.inputs[lowest(left)] & ~(resident | computed)) != 0) return false;
    }
    return true;
  }

  /// Rule 5, computation by computation. With transfers beside computations, what is written out
  /// stays to the end of the stage, and what is read back is there from its beginning.
  bool fits(const Label& stage, Set kept) const {
    const bool beside = limits_.paging_time == PagingTime::overlapped;
    const Set lasting = kept | (beside ? stage.page_out : 0);
    const Bytes room =
        limits_.ram_budget_bytes - (beside ? tables_.bytes[stage.page_in] : Bytes{0});
    Set held = stage.resident;
    if (tables_.bytes[held] > room) return false;
    for (Set left = stage.computed; left != 0; left = without_lowest(left)) {
      const int k = lowest(left);
      Set read_later = 0;
      for (Set later = without_lowest(left); later != 0; later = without_lowest(later)) {
        read_later |= tables_.inputs[lowest(later)];
      }
      const Set leaving = held & tables_.inputs[k] & ~read_later & ~lasting;
      const Set in_ram = (held & ~(leaving & tables_.over[k])) | only(k);
      if (tables_.bytes[in_ram] + tables_.workspace[k] > room) return false;
      held = (held & ~leaving) | only(k);
    }
    return true;
  }

  /// Rule 6, of one stage.
  Seconds seconds_of(const Label& stage) const {
    const Seconds computing = tables_.compute_seconds[stage.computed];
    const Seconds moving =
        tables_.page_in_seconds[stage.page_in] + tables_.page_out_seconds[stage.page_out];
    if (limits_.paging_time == PagingTime::free) return computing;
    if (limits_.paging_time == PagingTime::blocking) return computing + moving;
    return std::max(computing, moving);
  }

  /// Rule 9. Nothing is written twice here, so that what is written is what is there.
  bool fits_storage(Set stored) const {
    const Bytes copies = tables_.copied_bytes[stored];
    return copies <= limits_.storage.storage_budget_bytes.value_or(copies) &&
           copies <= limits_.storage.page_out_budget_bytes.value_or(copies);
  }

  /// Rules 3 and 4: every choice of transfers in a stage whose computations are settled.
  void transfer(int t, Set resident, Set computed, Set kept, Set stored, int from, Boundary& next) {
    const bool worthwhile = limits_.techniques.paging && t + 1 < tables_.size;
    const Set readable = worthwhile ? tables_.pageable & stored & ~(resident | computed) : 0;
    // A copy that exists need not be made again: that would cost, and change nothing.
    const Set writable = worthwhile ? tables_.pageable & resident & ~stored : 0;
    for_each_subset(readable, [&](Set page_in) {
      for_each_subset(writable, [&](Set page_out) {
        const Label& before = all_[from];
        Label after{.joules = before.joules + tables_.compute_joules[computed] +
                              tables_.page_in_joules[page_in] + tables_.page_out_joules[page_out],
                    .parent = from,
                    .resident = resident,
                    .computed = computed,
                    .page_out = page_out,
                    .page_in = page_in};
        after.seconds = before.seconds + seconds_of(after);
        if (is_too_much(after.joules, t)) return;
        if (after.seconds > limits_.runtime_budget_seconds) return;
        if (!fits_storage(stored | page_out)) return;
        const bool beside = limits_.paging_time == PagingTime::overlapped;
        if (beside && (page_in | page_out) != 0 && !fits(after, kept)) return;
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
  Joules most_joules_;
  std::vector<Joules> rest_;  // by stage: of it and all later ones, if nothing is recomputed
  std::vector<Label> all_;
};

}  // namespace

std::optional<OracleAnswer> ask_oracle(const Graph& graph, const Limits& limits,
                                       Joules most_joules) {
  if (graph.size() > kOracleNodes) throw std::invalid_argument("too many nodes for the oracle");
  return Search(graph, limits, most_joules).run();
}

}  // namespace poet::test
