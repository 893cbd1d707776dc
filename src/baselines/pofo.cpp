// Rematerialisation and offloading of a chain by dynamic programming: Beaumont, Eyraud-Dubois and
// Shilova, "Efficient Combination of Rematerialization and Offloading for Training DNNs", NeurIPS
// 2021 (POFO), whose segments are reversed as in their "Optimal Re-Materialization Strategies for
// Heterogeneous Chains" (rotor, 2019).
//
// Let state c be there, and state e, which has just been reversed down to. With m bytes left,
//
//   R(c, e, m) = min over c < k < e of  A(c, k) + R(k, e, m - w_k) + R(c, k, m),   R(e-1, e, m) = 0
//
// is the least energy that reverses the steps between: A(c, k) is the energy of the steps to k. In
// the forward pass each snapshot k is kept or, for the energy p_k of its transfers, paged:
//
//   F(i, m) = min over k > i of  R(i, k, m) + min(F(k, m - w_k), p_k + F'(k, m))
//
// where F' reverses the steps after k with w_k less. The paper minimises time, with a link that
// offloads go through one after another; we minimise energy, charge every transfer, and leave their
// time to the replay. RAM is counted in steps of 1/96 of the budget, rounded up. That is
// conservative, so the tables go beyond the budget, and of all their schedules that fit when
// replayed, the one of least energy is taken.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "baselines/layer_chain.hpp"
#include "baselines/method.hpp"
#include "baselines/residency.hpp"

namespace poet {
namespace {

constexpr int kBudgetSlots = 96;
constexpr int kSlots = 144;  ///< of the tables
constexpr int kMaxSteps = 200;
constexpr float kNever = std::numeric_limits<float>::infinity();

/// A chain in slots and joules, all by position.
struct ChainCosts {
  std::vector<double> energy;     ///< of the step to the state, summed up from position 0
  std::vector<double> transfers;  ///< paging the state out and in
  std::vector<bool> may_page;
  std::vector<int> size;      ///< of the state
  std::vector<int> forward;   ///< most that the step needs beside snapshots
  std::vector<int> backward;  ///< most that reversing the step needs beside its first state
};

/// Bytes in slots, rounded up.
int slots_of(Bytes bytes, Bytes unit) {
  return static_cast<int>(std::min<Bytes>((bytes + unit - 1) / unit, kSlots + 1));
}

/// By stage: the bytes of gradients in RAM, with its own output and workspace.
std::vector<Bytes> gradient_bytes(const Graph& graph) {
  std::vector<Bytes> bytes(graph.size(), 0);
  for (int i = graph.first_backward; i < graph.size(); ++i) {
    for (int t = i; t <= last_use(graph, i); ++t) bytes[t] += graph.nodes[i].bytes;
    bytes[i] += graph.nodes[i].workspace_bytes;
  }
  return bytes;
}

ChainCosts chain_costs(const Graph& graph, const LayerChain& chain, Bytes unit) {
  const int count = chain.steps() + 1;
  ChainCosts costs{.energy = std::vector<double>(count, 0),
                   .transfers = std::vector<double>(count, 0),
                   .may_page = std::vector<bool>(count),
                   .size = std::vector<int>(count),
                   .forward = std::vector<int>(count),
                   .backward = std::vector<int>(count)};
  for (int k = 0; k < count; ++k) {
    const Node& state = graph.nodes[chain.states[k]];
    costs.transfers[k] = state.page_in_energy_joules + state.page_out_energy_joules;
    costs.may_page[k] = state.page;
    costs.size[k] = slots_of(state.bytes, unit);
    if (k == 0) continue;
    Bytes most = 0;
    Bytes before = graph.nodes[chain.states[k - 1]].bytes;
    costs.energy[k] = costs.energy[k - 1];
    for (int i = chain.states[k - 1] + 1; i <= chain.states[k]; ++i) {
      const Node& node = graph.nodes[i];
      costs.energy[k] += node.energy_joules;
      most = std::max(most, before + node.bytes + node.workspace_bytes);
      before = node.bytes;
    }
    costs.forward[k] = slots_of(most, unit);
  }
  // A stage belongs to the highest state that it reads; one that reads none, to the step before.
  const std::vector<Bytes> gradients = gradient_bytes(graph);
  std::vector<Bytes> most(count, 0);
  int step = count - 1;
  for (int t = graph.first_backward; t < graph.size(); ++t) {
    int high = -1;
    for (const int i : graph.nodes[t].inputs) {
      if (i < graph.first_backward) high = std::max(high, chain.position[i]);
    }
    if (high >= 0) step = high;
    most[step] = std::max(most[step], gradients[t]);
  }
  for (int k = 0; k < count; ++k) costs.backward[k] = costs.size[k] + slots_of(most[k], unit);
  return costs;
}

/// The table R.
class SegmentTable {
 public:
  explicit SegmentTable(const ChainCosts& costs)
      : costs_(costs),
        count_(static_cast<int>(costs.size.size())),
        cost_(static_cast<std::size_t>(count_) * count_ * (kSlots + 1), kNever),
        choice_(cost_.size(), 0) {
    for (int length = 1; length < count_; ++length) {
      for (int from = 0; from + length < count_; ++from) fill(from, from + length);
    }
  }

  /// R(from, end, slots).
  float cost(int from, int end, int slots) const {
    return slots < 0 ? kNever : cost_[index(from, end, std::min(slots, kSlots))];
  }

  /// The snapshots between them that attain it, below end - 1, which stays from step to step.
  std::vector<int> snapshots(int from, int end, int slots) const {
    std::vector<int> chosen;
    while (from + 1 < end && cost(from, end, slots) < kNever) {
      from = choice_[index(from, end, std::min(slots, kSlots))];
      if (from + 1 >= end) break;
      chosen.push_back(from);
      slots -= costs_.size[from];
    }
    return chosen;
  }

  /// The most slots that the steps between these positions take.
  int widest(int from, int to) const {
    int most = 0;
    for (int k = from + 1; k <= to; ++k) most = std::max(most, costs_.forward[k]);
    return most;
  }

 private:
  std::size_t index(int from, int end, int slots) const {
    return (static_cast<std::size_t>(from) * count_ + end) * (kSlots + 1) + slots;
  }

  void fill(int from, int end) {
    for (int slots = 0; slots <= kSlots; ++slots) {
      float& best = cost_[index(from, end, slots)];
      if (from + 1 == end) {
        best = slots >= costs_.backward[end] ? 0 : kNever;
        continue;
      }
      int wide = 0;
      for (int k = from + 1; k < end; ++k) {
        wide = std::max(wide, costs_.forward[k]);
        if (slots < wide + costs_.backward[end]) break;
        const float with_k = static_cast<float>(costs_.energy[k] - costs_.energy[from]) +
                             cost(k, end, slots - costs_.size[k]) + cost(from, k, slots);
        if (with_k >= best) continue;
        best = with_k;
        choice_[index(from, end, slots)] = static_cast<std::int16_t>(k);
      }
    }
  }

  const ChainCosts& costs_;
  int count_;
  std::vector<float> cost_;
  std::vector<std::int16_t> choice_;
};

/// The tables F and F'.
class ForwardTable {
 public:
  ForwardTable(const ChainCosts& costs, const SegmentTable& segments, int end)
      : costs_(costs),
        segments_(segments),
        end_(end),
        entries_(static_cast<std::size_t>(end + 1) * 2 * (kSlots + 1)) {
    for (int from = end; from >= 0; --from) {
      for (const bool is_paged : {false, true}) {
        for (int slots = 0; slots <= kSlots; ++slots) fill(from, is_paged, slots);
      }
    }
  }

  float cost(int slots) const { return entry(0, false, slots).cost; }

  std::vector<Snapshot> snapshots(int slots) const {
    std::vector<Snapshot> chosen;
    int from = 0;
    bool is_paged = false;
    while (from < end_) {
      const Entry& now = entry(from, is_paged, slots);
      from = now.next;
      is_paged = now.pages_next;
      if (!is_paged) slots -= costs_.size[from];
      if (from < end_) chosen.push_back({.position = from, .is_paged = is_paged});
    }
    return chosen;
  }

 private:
  struct Entry {
    float cost = kNever;
    std::int16_t next = 0;
    bool pages_next = false;
  };

  std::size_t index(int from, bool is_paged, int slots) const {
    return (static_cast<std::size_t>(from) * 2 + (is_paged ? 1 : 0)) * (kSlots + 1) + slots;
  }
  const Entry& entry(int from, bool is_paged, int slots) const {
    return entries_[index(from, is_paged, slots)];
  }
  float cost_of(int from, bool is_paged, int slots) const {
    return slots < 0 ? kNever : entry(from, is_paged, slots).cost;
  }

  void fill(int from, bool is_paged, int slots) {
    Entry& best = entries_[index(from, is_paged, slots)];
    // When the steps after a paged state are reversed, it is back in RAM.
    const int meanwhile = slots - (is_paged ? costs_.size[from] : 0);
    if (from == end_) {
      if (meanwhile >= costs_.backward[end_ + 1])
        best = {.cost = 0, .next = 0, .pages_next = false};
      return;
    }
    for (int k = from + 1; k <= end_; ++k) {
      if (slots < costs_.forward[k]) break;
      const float reversal = segments_.cost(from, k, meanwhile);
      const auto consider = [&](float cost, bool pages) {
        if (reversal + cost >= best.cost) return;
        best = {.cost = reversal + cost, .next = static_cast<std::int16_t>(k), .pages_next = pages};
      };
      consider(cost_of(k, false, slots - costs_.size[k]), false);
      // What the first gradients read stays.
      if (k == end_ || !costs_.may_page[k]) continue;
      consider(static_cast<float>(costs_.transfers[k]) + cost_of(k, true, slots), true);
    }
  }

  const ChainCosts& costs_;
  const SegmentTable& segments_;
  int end_;
  std::vector<Entry> entries_;
};

/// Offers the schedules of the tables for all sizes of RAM.
void offer_tables(const Problem& problem, const LayerChain& chain, const ChainCosts& costs, int end,
                  BestAttempt& best) {
  const SegmentTable segments(costs);
  const ForwardTable table(costs, segments, end);
  float before = -1;
  for (int slots = kSlots; slots >= 0; --slots) {
    // The same cost is the same choice, or as good a one.
    if (table.cost(slots) == before) continue;
    before = table.cost(slots);
    if (before == kNever) break;
    const SnapshotRule rule = [&](int from, int to, const std::vector<int>& kept) {
      const int held = std::accumulate(kept.begin(), kept.end(), 0, [&](int sum, int at) {
        return sum + (at == 0 ? 0 : costs.size[at]);
      });
      return segments.snapshots(from, to + 1, slots - held);
    };
    const std::vector<Snapshot> first = table.snapshots(slots);
    const auto paged = std::count_if(first.begin(), first.end(),
                                     [](const Snapshot& snapshot) { return snapshot.is_paged; });
    best.offer(
        reverse_chain(problem.graph, chain, first, rule),
        fmt::format("{} of {} states kept, {} paged", first.size() - paged, chain.steps(), paged));
  }
}

}  // namespace

Attempt pofo(const Problem& problem) {
  const Graph& graph = problem.graph;
  const std::optional<LayerChain> chain = layer_chain(graph);
  if (!chain) return Attempt::not_applicable("the forward pass is not a chain of layers");
  if (chain->steps() > kMaxSteps) {
    return Attempt::not_applicable(
        fmt::format("the chain has {} layers; its dynamic program is for {} at most",
                    chain->steps(), kMaxSteps));
  }
  const int end = std::min(first_reversal(graph, *chain), chain->steps() - 1);
  const Bytes unit = std::max<Bytes>(1, problem.limits.ram_budget_bytes / kBudgetSlots);
  ChainCosts costs = chain_costs(graph, *chain, unit);
  BestAttempt best(problem);
  offer_tables(problem, *chain, costs, end, best);
  // What computations need at most leaves nothing to snapshots if RAM is short, though it is needed
  // at few moments. Without it, slots are for snapshots alone.
  std::fill(costs.forward.begin(), costs.forward.end(), 0);
  std::fill(costs.backward.begin(), costs.backward.end(), 0);
  offer_tables(problem, *chain, costs, end, best);
  return std::move(best).take("its dynamic program finds no schedule");
}

}  // namespace poet
