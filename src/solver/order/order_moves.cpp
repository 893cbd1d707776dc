#include "solver/order/order_moves.hpp"

#include <algorithm>

namespace poet {
namespace {

constexpr int kLongestSegment = 14;
constexpr double kSingleShare = 0.3;    // of segments that are one node
constexpr double kFarthestShare = 0.5;  // of segments that go as far as they can
constexpr double kSecondShare = 0.3;    // of changes with a second segment, and with a third
constexpr double kThirdShare = 0.1;

}  // namespace

OrderMoves::OrderMoves(const Graph& graph, const Precedence& precedence, Random& random)
    : before_(graph.nodes.size()), after_(graph.nodes.size()), random_(random) {
  const auto add = [&](int first, int second) {
    before_[second].push_back(first);
    after_[first].push_back(second);
  };
  for (int k = 0; k < graph.size(); ++k) {
    for (const int input : graph.nodes[k].inputs) add(input, k);
  }
  for (const auto& [first, second] : precedence) add(first, second);
}

// If each node must come before the next one, every order has them in this line.
bool OrderMoves::any() const {
  for (std::size_t k = 0; k + 1 < after_.size(); ++k) {
    const std::vector<int>& later = after_[k];
    if (std::find(later.begin(), later.end(), static_cast<int>(k + 1)) == later.end()) return true;
  }
  return false;
}

bool OrderMoves::change(NodeOrder& order) {
  const double drawn = random_.uniform();
  const int count = drawn < kThirdShare ? 3 : drawn < kSecondShare ? 2 : 1;
  bool changed = false;
  for (int c = 0; c < count; ++c) changed = move_segment(order) || changed;
  return changed;
}

bool OrderMoves::move_segment(NodeOrder& order) {
  const int size = static_cast<int>(order.size());
  const int longest = std::min(kLongestSegment, size - 1);
  if (longest < 1) return false;
  const int length = random_.uniform() < kSingleShare ? 1 : 1 + random_.below(longest);
  const int first = random_.below(size - length + 1);
  const bool to_the_left = random_.uniform() < 0.5;
  const bool to_the_end = random_.uniform() < kFarthestShare;
  place_ = places_of(order);
  const auto at = order.begin();
  if (to_the_left) {
    const int low = lowest_place(order, first, length);
    if (low == first) return false;
    const int to = to_the_end ? low : low + random_.below(first - low);
    std::rotate(at + to, at + first, at + first + length);
  } else {
    const int high = highest_place(order, first, length);
    if (high == first) return false;
    const int to = to_the_end ? high : first + 1 + random_.below(high - first);
    std::rotate(at + first, at + first + length, at + to + length);
  }
  return true;
}

/// Where the segment may begin at the earliest: behind all that must come before one of its nodes.
int OrderMoves::lowest_place(const NodeOrder& order, int first, int length) const {
  int lowest = 0;
  for (int p = first; p < first + length; ++p) {
    for (const int earlier : before_[order[p]]) {
      if (place_[earlier] < first) lowest = std::max(lowest, place_[earlier] + 1);
    }
  }
  return lowest;
}

/// Where it may begin at the latest.
int OrderMoves::highest_place(const NodeOrder& order, int first, int length) const {
  int end = static_cast<int>(order.size());
  for (int p = first; p < first + length; ++p) {
    for (const int later : after_[order[p]]) {
      if (place_[later] >= first + length) end = std::min(end, place_[later]);
    }
  }
  return end - length;
}

}  // namespace poet
