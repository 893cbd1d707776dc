// The search for a placement over banks: greedy ones, exchanges, and branch and bound. The first
// two give something to compare with, and a cost that cuts most of the tree off. Exchanges know
// sums alone, so offsets are looked for afterwards; if a bank has none for its buffers, it counts
// as smaller by what they exceed it, and the exchanges go on. Large problems end with the best that
// was found and the bound.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "arena/bank_model.hpp"
#include "poet/banks.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr std::int64_t kWork = 40'000'000;  ///< of exchanges, in sections that are looked at
constexpr std::int64_t kMostExchanges = 200'000;
constexpr std::int64_t kFirstNodes = 5'000;  ///< what a small problem does not need more of
constexpr std::int64_t kTreeWork = 20'000'000;
constexpr int kRepairs = 12;
constexpr std::int64_t kNodesOfRepair = 5'000;
/// What a bound is lowered by, as sums of doubles are not exact.
constexpr double kCaution = 1e-9;

class BankSearch {
 public:
  BankSearch(const BankProblem& problem, const PlaceLimits& limits)
      : problem_(problem), limits_(limits), model_(make_bank_model(problem)) {
    for (const SectionRange& range : model_.ranges) width_ += range.end - range.first;
    width_ = std::max<std::int64_t>(width_ / std::max(model_.buffers(), 1), 1);
  }

  BankPlacement run() {
    best_.missing_bytes = std::numeric_limits<Bytes>::max();
    if (const auto homeless = without_bank(); !homeless.empty()) return refuse(homeless);
    if (in_cheapest()) return std::move(best_);
    for (const BankOrder order : {BankOrder::density, BankOrder::traffic, BankOrder::size}) {
      take(place_banks_in_order(model_, bank_order(problem_, model_, order)));
    }
    BankBound bound = bank_bound(model_, aim());
    note(bound);
    if (!is_closed(bound) && !search_tree(bound, kFirstNodes)) {
      exchange(by_prices(bound));
      BankBound again = bank_bound(model_, aim());
      if (again.bound > bound.bound) bound = std::move(again);
      note(bound);
      if (!is_closed(bound)) search_tree(bound, kTreeWork / (width_ * model_.banks()));
    }
    if (best_.status == PlacementStatus::fits) best_.bound = std::min(best_.bound, best_.cost);
    return std::move(best_);
  }

 private:
  void note(const BankBound& bound) {
    best_.bound = std::max(0.0, bound.bound - kCaution * std::abs(bound.bound));
  }

  double aim() const { return best_.status == PlacementStatus::fits ? best_.cost : kUnknown; }

  bool is_closed(const BankBound& bound) const {
    return best_.status == PlacementStatus::fits &&
           bound.bound >= best_.cost - kCaution * std::abs(best_.cost);
  }

  /// Buffers that no bank can hold.
  std::vector<int> without_bank() const {
    std::vector<int> some;
    for (int b = 0; b < model_.buffers(); ++b) {
      if (!std::isfinite(model_.least_cost(b))) some.push_back(b);
    }
    return some;
  }

  /// Tries to place all in the cheapest bank, by the whole search for offsets. Returns whether that
  /// decides: it costs least if it fits, and a single bank is all that there is.
  bool in_cheapest() {
    std::size_t cheapest = 0;
    for (std::size_t k = 1; k < problem_.banks.size(); ++k) {
      if (problem_.banks[k].cost_per_byte < problem_.banks[cheapest].cost_per_byte) cheapest = k;
    }
    const auto bank = static_cast<int>(cheapest);
    for (int b = 0; b < model_.buffers(); ++b) {
      if (!std::isfinite(model_.cost(b, bank))) return false;
    }
    const PlaceLimits limits{
        .seconds = limits_.seconds,
        .search_nodes = limits_.seconds > 0 ? 0 : usual_search_nodes(problem_.buffers.size())};
    std::vector<int> buffers(problem_.buffers.size());
    std::iota(buffers.begin(), buffers.end(), 0);
    PlacementResult found = place_in_one_bank(problem_, model_, bank, buffers, limits);
    if (found.status == PlacementStatus::fits) {
      BankPlacement all;
      all.placement = {.banks = std::vector<int>(problem_.buffers.size(), bank),
                       .offsets = std::move(found.placement.offsets)};
      take(std::move(all));
      best_.bound = best_.cost;
      return true;
    }
    if (model_.banks() > 1) return false;
    take(place_banks_in_order(model_, bank_order(problem_, model_, BankOrder::size)));
    best_.status = found.status;
    return true;
  }

  BankPlacement refuse(const std::vector<int>& homeless) {
    best_.left_over = homeless;
    conclude_banks(problem_, best_);
    best_.status = PlacementStatus::impossible;
    return std::move(best_);
  }

  /// Keeps what is better: one that fits, then less cost, or else fewer bytes left over.
  void take(BankPlacement found) {
    conclude_banks(problem_, found);
    const bool fits = found.status == PlacementStatus::fits;
    const bool had = best_.status == PlacementStatus::fits;
    const bool better =
        fits ? !had || found.cost < best_.cost : !had && found.missing_bytes < best_.missing_bytes;
    if (!better) return;
    found.bound = best_.bound;
    found.node_count = best_.node_count;
    best_ = std::move(found);
  }

  /// The best bank of each buffer at the prices, as far as they have room.
  std::vector<int> by_prices(const BankBound& bound) const {
    std::vector<int> banks(model_.buffers());
    for (int b = 0; b < model_.buffers(); ++b) {
      const auto first = bound.costs.begin() + std::ptrdiff_t{b} * model_.banks();
      banks[b] = static_cast<int>(std::min_element(first, first + model_.banks()) - first);
    }
    return banks;
  }

  /// Exchanges from several starts, each of them repaired until there are offsets.
  void exchange(const std::vector<int>& prices) {
    std::vector<std::vector<int>> starts{prices};
    for (const BankOrder order : {BankOrder::density, BankOrder::size}) {
      starts.push_back(
          place_banks_in_order(model_, bank_order(problem_, model_, order)).placement.banks);
    }
    const auto moves = std::min<std::int64_t>(
        kWork / static_cast<std::int64_t>(starts.size()) / width_, kMostExchanges);
    for (const std::vector<int>& start : starts) {
      if (expired()) return;
      repair(exchange_banks(model_, start, moves), moves / 4);
    }
  }

  void repair(std::vector<int> banks, std::int64_t moves) {
    BankModel tight = model_;
    for (int round = 0; round < kRepairs && !expired(); ++round) {
      BankPlacement found;
      found.placement = {.banks = banks, .offsets = std::vector<Bytes>(problem_.buffers.size(), 0)};
      bool is_placed = true;
      for (int k = 0; k < model_.banks(); ++k) {
        std::vector<int> inside;
        for (int b = 0; b < model_.buffers(); ++b) {
          if (banks[b] == k) inside.push_back(b);
        }
        const Bytes excess = place_inside(inside, k, found);
        tight.capacities[k] -= excess;
        is_placed = is_placed && excess == 0;
      }
      for (int b = 0; b < model_.buffers(); ++b) {
        if (banks[b] < 0) found.left_over.push_back(b);
      }
      if (is_placed) return take(std::move(found));
      for (std::size_t i = 0; i < tight.costs.size(); ++i) {
        const auto bank = static_cast<int>(i) % model_.banks();
        const Bytes bytes = model_.bytes[i / model_.banks()];
        if (bytes > tight.capacities[bank]) tight.costs[i] = kUnknown;
      }
      banks = exchange_banks(tight, banks, moves);
    }
  }

  /// Returns the bytes by which the buffers exceed a bank; 0 if they have offsets.
  Bytes place_inside(const std::vector<int>& inside, int bank, BankPlacement& found) const {
    const PlacementResult placed =
        place_in_one_bank(problem_, model_, bank, inside, {.search_nodes = kNodesOfRepair});
    if (placed.status != PlacementStatus::fits) {
      const BankContents contents = contents_of(model_, bank, inside);
      const std::vector<Buffer> some = some_buffers(problem_, contents.numbers);
      const Placement greedy = best_greedy_placement(some, problem_.alignment);
      const Bytes excess = arena_bytes(some, greedy, problem_.alignment) - contents.room;
      return std::max(excess, problem_.alignment);
    }
    for (std::size_t i = 0; i < inside.size(); ++i) {
      found.placement.offsets[inside[i]] = placed.placement.offsets[i];
    }
    return 0;
  }

  /// Returns whether the tree was searched to its end.
  bool search_tree(const BankBound& bound, std::int64_t nodes) {
    if (limits_.search_nodes > 0) nodes = std::min(nodes, limits_.search_nodes);
    if (expired()) return false;
    BankTree tree = branch_on_banks(problem_, model_, bound, aim(), nodes);
    best_.node_count += tree.node_count;
    if (!tree.placement.banks.empty()) {
      BankPlacement better;
      better.placement = std::move(tree.placement);
      take(std::move(better));
    }
    if (!tree.complete) return false;
    if (best_.status == PlacementStatus::fits) {
      best_.bound = best_.cost;
    } else {
      best_.status = PlacementStatus::impossible;
    }
    return true;
  }

  bool expired() const {
    if (limits_.seconds <= 0) return false;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() >
           limits_.seconds;
  }

  const BankProblem& problem_;
  PlaceLimits limits_;
  BankModel model_;
  std::int64_t width_ = 0;  ///< sections of a buffer, on average
  BankPlacement best_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

BankPlacement place_in_banks(const BankProblem& problem, const PlaceLimits& limits) {
  return BankSearch(problem, limits).run();
}

}  // namespace poet
