// All ways to put buffers into banks, as a tree: one buffer at each level, the cheapest bank first.
// A branch is left when the bound at the prices of bank_bound.cpp reaches the best cost, which is a
// sum that one level changes in one term, or when a bank has no room. Offsets come last. If a bank
// turns out to have none for its buffers, the shortest beginning of them that has none says how far
// to go back: everything below that beginning has the same fault.

#include <algorithm>
#include <cmath>

#include "arena/bank_model.hpp"

namespace poet {
namespace {

/// A bank with so many buffers that a search of this length does not decide it is left undecided.
constexpr std::int64_t kNodesOfOffsets = 20'000;
/// Sums of doubles in another order differ by less.
constexpr double kPrecision = 1e-10;

class BankTreeSearch {
 public:
  BankTreeSearch(const BankProblem& problem, const BankModel& model, const BankBound& bound,
                 double below, std::int64_t max_nodes)
      : problem_(problem),
        model_(model),
        bound_(bound),
        below_(below),
        max_nodes_(max_nodes),
        loads_(model) {
    choose_order();
  }

  BankTree run() {
    tree_.complete = true;
    visit(0, 0);
    return std::move(tree_);
  }

 private:
  double priced(int buffer, int bank) const { return bound_.costs[buffer * model_.banks() + bank]; }

  std::vector<int> banks_by_price(int buffer) const {
    std::vector<int> banks;
    for (int k = 0; k < model_.banks(); ++k) {
      if (std::isfinite(priced(buffer, k))) banks.push_back(k);
    }
    std::stable_sort(banks.begin(), banks.end(),
                     [&](int a, int b) { return priced(buffer, a) < priced(buffer, b); });
    return banks;
  }

  /// Those first for which the second best bank is much dearer than the best, as they have a say
  /// in the bound; of others, those that hold much memory for long.
  void choose_order() {
    std::vector<std::pair<std::pair<double, double>, int>> keys;
    for (int b = 0; b < model_.buffers(); ++b) {
      const std::vector<int> banks = banks_by_price(b);
      choices_.push_back(banks);
      const double spread =
          banks.size() > 1 ? priced(b, banks[1]) - priced(b, banks[0]) : bound_.bound + 1;
      const SectionRange& range = model_.ranges[b];
      const double area =
          static_cast<double>(model_.bytes[b]) * static_cast<double>(range.end - range.first);
      keys.push_back({{-spread, -area}, b});
    }
    std::sort(keys.begin(), keys.end());
    rest_.assign(keys.size() + 1, -bound_.of_capacities);
    for (const auto& key : keys) order_.push_back(key.second);
    double sum = -bound_.of_capacities;
    for (std::size_t i = order_.size(); i-- > 0;) {
      sum += choices_[order_[i]].empty() ? 0 : priced(order_[i], choices_[order_[i]].front());
      rest_[i] = sum;
    }
  }

  /// Whether a cost is at least the best one, as far as sums of doubles can tell.
  bool is_no_better(double cost) const {
    return std::isfinite(below_) && cost >= below_ - kPrecision * std::abs(below_);
  }

  /// Tries all banks for the buffer of a level. Returns the last level whose choice may have to
  /// change before anything else is worth a try: this one, unless a fault lies above it.
  int visit(int level, double so_far) {
    if (tree_.node_count >= max_nodes_) return stop();
    ++tree_.node_count;
    if (level == model_.buffers()) return finish();
    const int buffer = order_[level];
    for (const int bank : choices_[buffer]) {
      const double cost = so_far + priced(buffer, bank);
      if (is_no_better(cost + rest_[level + 1])) break;
      if (!loads_.fits(buffer, bank)) continue;
      loads_.put(buffer, bank);
      const int back = visit(level + 1, cost);
      loads_.take(buffer);
      if (back < level) return back;
    }
    return level;
  }

  int stop() {
    tree_.complete = false;
    return -1;
  }

  /// All buffers have banks: looks for offsets in each.
  int finish() {
    const int last = model_.buffers() - 1;
    const double cost = cost_of(problem_, loads_.banks());
    if (is_no_better(cost)) return last;
    BankedOffsets found{.banks = loads_.banks(),
                        .offsets = std::vector<Bytes>(problem_.buffers.size(), 0)};
    for (int k = 0; k < model_.banks(); ++k) {
      std::vector<int> inside;
      for (const int b : order_) {
        if (loads_.bank_of(b) == k) inside.push_back(b);
      }
      const PlacementResult placed =
          place_in_one_bank(problem_, model_, k, inside, {.search_nodes = kNodesOfOffsets});
      if (placed.status == PlacementStatus::impossible) return level_of_fault(inside, k);
      if (placed.status == PlacementStatus::cut_short) {
        tree_.complete = false;
        return last;
      }
      for (std::size_t i = 0; i < inside.size(); ++i) {
        found.offsets[inside[i]] = placed.placement.offsets[i];
      }
    }
    tree_.placement = std::move(found);
    tree_.cost = cost;
    below_ = cost;
    return last;
  }

  /// The level of the last buffer in the shortest beginning that is known to have no offsets.
  int level_of_fault(const std::vector<int>& inside, int bank) const {
    std::size_t good = 0;
    std::size_t bad = inside.size();
    while (bad - good > 1) {
      const std::size_t middle = (good + bad) / 2;
      const PlacementResult placed =
          place_in_one_bank(problem_, model_, bank, std::span(inside).first(middle),
                            {.search_nodes = kNodesOfOffsets});
      (placed.status == PlacementStatus::impossible ? bad : good) = middle;
    }
    const auto last = std::find(order_.begin(), order_.end(), inside[bad - 1]);
    return static_cast<int>(last - order_.begin());
  }

  const BankProblem& problem_;
  const BankModel& model_;
  const BankBound& bound_;
  double below_;
  std::int64_t max_nodes_;
  BankLoads loads_;
  std::vector<int> order_;                 ///< of buffers
  std::vector<std::vector<int>> choices_;  ///< by buffer: its banks, the cheapest first
  std::vector<double> rest_;  ///< by level: what all from there on cost at least, at the prices
  BankTree tree_;
};

}  // namespace

BankTree branch_on_banks(const BankProblem& problem, const BankModel& model, const BankBound& bound,
                         double below, std::int64_t max_nodes) {
  return BankTreeSearch(problem, model, bound, below, max_nodes).run();
}

}  // namespace poet
