// The rows `ram` and `bytes`: what is in RAM at one instant of a stage fits the budget, in bytes
// and in the sizes of a facet of what fits. For each tensor the reason counts that says most at the
// point. Each combination of reasons is a row of its own; the best reason of each tensor gives the
// one that is violated most.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "solver/formulation/knapsack_facet.hpp"
#include "solver/moments/moment_rows.hpp"

namespace poet {
namespace {

/// Recomputations of a stage that are looked at, and rows of a stage that are kept.
constexpr std::size_t kMostInstants = 4;
constexpr std::size_t kMostRowsOfStage = 3;
/// The share of the budget that the tensors at an instant must need to be worth a look: a rounded
/// row can be violated below the budget.
constexpr double kNearlyFull = 0.85;
constexpr double kOfClp = 1e-6;  // tolerance of its values

/// A tensor at an instant, for the reason that says most.
struct Item {
  int i = 0;
  Bytes bytes = 0;
  double value = 0;
  std::string why;
  ProofColumn plus = kAbsent;
  std::vector<ProofColumn> minus;
};

class RamSeparator {
 public:
  RamSeparator(const MomentModel& model, std::span<const double> values, double least)
      : model_(model), values_(values), least_(least) {}

  std::vector<ProofRow> run() {
    std::vector<ProofRow> rows;
    const std::vector<ProofInterval>& intervals = model_.intervals();
    for (std::size_t w = 0; w < intervals.size(); ++w) {
      now_ = &intervals[w];
      before_ = w > 0 && intervals[w - 1].is_one_stage() ? &intervals[w - 1] : nullptr;
      stage_.clear();
      look(now_->stage);
      for (const int k : instants()) look(k);
      std::stable_sort(stage_.begin(), stage_.end(),
                       [](const auto& x, const auto& y) { return x.first > y.first; });
      if (stage_.size() > kMostRowsOfStage) stage_.resize(kMostRowsOfStage);
      for (auto& [violation, row] : stage_) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  double value(ProofColumn column) const { return value_at(values_, column); }
  int stage() const { return now_->stage; }

  /// The recomputations of this stage beside which the point has most bytes.
  std::vector<int> instants() {
    std::vector<std::pair<double, int>> fullest;
    for (int k = 0; before_ != nullptr && k < stage(); ++k) {
      if (value(before_->recomputed[k]) < 1e-4) continue;
      double bytes = 0;
      for (const Item& item : items_at(k)) bytes += item.value * static_cast<double>(item.bytes);
      fullest.emplace_back(-bytes, k);
    }
    std::sort(fullest.begin(), fullest.end());
    if (fullest.size() > kMostInstants) fullest.resize(kMostInstants);
    std::vector<int> instants;
    instants.reserve(fullest.size());
    for (const auto& [bytes, k] : fullest) instants.push_back(k);
    return instants;
  }

  std::vector<Item> items_at(int k) const {
    std::vector<Item> items;
    for (int i = 0; i < stage(); ++i) {
      if (model_.node(i).bytes == 0) continue;
      if (k == stage() && now_->in_ram[i] == kCertain) continue;
      Item item{.i = i, .bytes = model_.node(i).bytes};
      const ProofColumn again = i > k ? before_->recomputed[i] : kAbsent;
      item = better(std::move(item), "h", now_->in_ram[i], {again});
      if (k < stage()) item = used_later(std::move(item), k, again);
      if (before_ != nullptr) item = being_written(std::move(item), k);
      // What is computed again for nothing is below 0 where its readers would be the reason.
      if (item.plus != kAbsent && item.value > -kOfClp) items.push_back(std::move(item));
    }
    return items;
  }

  /// The item for another reason, if that says more.
  Item better(Item item, std::string why, ProofColumn plus, std::vector<ProofColumn> minus) const {
    if (plus == kAbsent) return item;
    double worth = value(plus);
    for (const ProofColumn column : minus) worth -= value(column);
    if (item.plus != kAbsent && worth <= item.value) return item;
    item.value = worth;
    item.why = std::move(why);
    item.plus = plus;
    item.minus = std::move(minus);
    return item;
  }

  Item used_later(Item item, int k, ProofColumn again) const {
    const int i = item.i;
    if (i == k) item = better(std::move(item), fmt::to_string(k), before_->recomputed[k], {});
    for (const int j : model_.graph().users[i]) {
      if (j < k || j >= stage() || (j == k && model_.node(k).in_place == i)) continue;
      item = better(std::move(item), fmt::to_string(j), before_->recomputed[j], {again});
    }
    return item;
  }

  Item being_written(Item item, int k) const {
    const int i = item.i;
    const std::vector<int>& users = model_.graph().users[i];
    if (k == stage() && std::binary_search(users.begin(), users.end(), k)) return item;
    std::vector<ProofColumn> freed;
    if (!model_.overlaps()) {
      for (const int j : users) {
        const bool over = j == k && k < stage() && model_.node(k).in_place == i;
        if (j < k || over) freed.push_back(before_->recomputed[j]);
      }
    }
    return better(std::move(item), "o", before_->first_written[i], std::move(freed));
  }

  void look(int k) {
    const Bytes free =
        k == stage() ? model_.free_at(*now_) : model_.problem().limits.ram_budget_bytes;
    const std::vector<Item> items = items_at(k);
    double bytes = 0;
    for (const Item& item : items) {
      bytes += std::max(0.0, item.value) * static_cast<double>(item.bytes);
    }
    if (bytes < kNearlyFull * static_cast<double>(free)) return;
    Knapsack in_bytes{.capacity = free};
    std::vector<double> point;
    for (const Item& item : items) {
      in_bytes.weights.push_back(item.bytes);
      point.push_back(item.value);
    }
    consider(k, items, in_bytes, true);
    if (const auto facet = violated_facet(in_bytes, point, least_)) {
      consider(k, items, *facet, false);
    }
  }

  void consider(int k, const std::vector<Item>& items, const Knapsack& sizes, bool in_bytes) {
    double violation = -static_cast<double>(sizes.capacity);
    double norm = 0;
    for (std::size_t q = 0; q < items.size(); ++q) {
      const auto size = static_cast<double>(sizes.weights[q]);
      violation += size * items[q].value;
      norm += size * size;
    }
    violation /= std::sqrt(std::max(norm, 1.0));
    if (violation <= least_) return;
    if (stage_.size() >= kMostRowsOfStage && violation <= least_kept()) return;
    ProofRow row{.line = fmt::format("{} {} {}", in_bytes ? "bytes" : "ram", stage(), k),
                 .bound = -sizes.capacity};
    if (!in_bytes) row.line += fmt::format(" {}", sizes.capacity);
    for (std::size_t q = 0; q < items.size(); ++q) {
      const std::int64_t size = sizes.weights[q];
      if (size == 0) continue;
      const Item& item = items[q];
      row.line += in_bytes ? fmt::format(" {}:{}", item.i, item.why)
                           : fmt::format(" {}:{}:{}", item.i, size, item.why);
      row.add(-size, item.plus);
      for (const ProofColumn column : item.minus) row.add(size, column);
    }
    if (row.finish()) stage_.emplace_back(violation, std::move(row));
  }

  /// The violation of the last row that would be kept.
  double least_kept() const {
    std::vector<double> violations;
    for (const auto& [violation, row] : stage_) violations.push_back(violation);
    std::nth_element(violations.begin(), violations.begin() + kMostRowsOfStage - 1,
                     violations.end(), std::greater<>());
    return violations[kMostRowsOfStage - 1];
  }

  const MomentModel& model_;
  std::span<const double> values_;
  double least_;
  const ProofInterval* now_ = nullptr;
  const ProofInterval* before_ = nullptr;  // if it is the stage before
  std::vector<std::pair<double, ProofRow>> stage_;
};

}  // namespace

std::vector<ProofRow> violated_ram(const MomentModel& model, std::span<const double> values,
                                   double least) {
  return RamSeparator(model, values, least).run();
}

}  // namespace poet
