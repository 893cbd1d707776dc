// What an order does by itself, as MODeL (Steiner et al., ICML 2023) chooses one by a linear
// program: no tensor is computed again or moved, so that only the order decides the peak. Annealing
// with the moves of the search over orders; as the peak is decided at one place of many, equal
// peaks are taken, so that the search drifts between them.

#include "solver/order/least_peak.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "problem/take_over.hpp"
#include "solver/order/order_moves.hpp"

namespace poet {
namespace {

constexpr int kChangesPerNode = 200;
constexpr int kMostChanges = 60'000;
/// Of the peak, at the start.
constexpr double kHeat = 0.02;

/// By node, the place of its last reader, or its own.
std::vector<int> last_places(const Graph& graph, const std::vector<int>& place) {
  std::vector<int> last = place;
  for (int k = 0; k < graph.size(); ++k) {
    for (const int input : graph.nodes[k].inputs) last[input] = std::max(last[input], place[k]);
  }
  return last;
}

bool takes_over(const Node& node, int place, const std::vector<int>& last) {
  if (!node.in_place_choices.empty()) {
    const std::optional<int> chosen = choose_in_place(node.in_place_choices, last, place);
    return last[*chosen] == place;
  }
  return node.in_place && last[*node.in_place] == place;
}

}  // namespace

Bytes keep_all_peak(const Graph& graph, const NodeOrder& order) {
  const std::vector<int> last = last_places(graph, places_of(order));
  Bytes held = 0;
  Bytes peak = 0;
  for (int p = 0; p < graph.size(); ++p) {
    const Node& node = graph.nodes[order[p]];
    const Bytes own = takes_over(node, p, last) ? 0 : node.bytes;
    peak = std::max(peak, held + own + node.workspace_bytes);
    if (last[order[p]] > p) held += node.bytes;
    for (const int input : node.inputs) {
      if (last[input] == p) held -= graph.nodes[input].bytes;
    }
  }
  return peak;
}

NodeOrder least_peak_order(const Graph& graph, const Precedence& precedence, std::uint32_t seed,
                           const Stop& stop) {
  NodeOrder order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  Random random(std::uint64_t{seed} << 32);
  OrderMoves moves(graph, precedence, random);
  const Bytes given = keep_all_peak(graph, order);
  NodeOrder best = order;
  Bytes best_peak = given;
  Bytes peak = given;
  const int changes = std::min(kChangesPerNode * graph.size(), kMostChanges);
  for (int c = 0; c < changes && !stop(); ++c) {
    NodeOrder next = order;
    if (!moves.change(next)) continue;
    const Bytes after = keep_all_peak(graph, next);
    const double cooling = static_cast<double>(changes - c) / changes;
    const double most = static_cast<double>(peak) * (1 + kHeat * random.uniform() * cooling);
    if (static_cast<double>(after) > most) continue;
    order = std::move(next);
    peak = after;
    if (peak >= best_peak) continue;
    best = order;
    best_peak = peak;
  }
  return best_peak < given ? best : NodeOrder();
}

}  // namespace poet
