#include "solver/formulation/knapsack_facet.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <set>
#include <vector>

#include "solver/milp/linear_program.hpp"
#include "solver/milp/milp.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

constexpr double kWhole = 1e-6;  // distance from a whole number that counts as none
/// Weights in the search for a set are multiples of 1 / kGrain, and in the row of a larger part.
constexpr std::int64_t kGrain = 840;
constexpr std::int64_t kMaxGrain = 60;
/// Of the row. A certificate's checker counts up to it, for each row.
constexpr std::int64_t kMaxCapacity = 999;
/// Items between 0 and 1, and sets of them, that a search may look at.
constexpr std::size_t kMaxBroken = 60;
constexpr int kMaxSets = 100;
constexpr auto kUnreachable = std::numeric_limits<std::int64_t>::max();

/// The least weight of a set of each value.
class LeastWeights {
 public:
  /// Sets that weigh more are of no interest.
  explicit LeastWeights(std::int64_t capacity) : capacity_(capacity), least_(1, 0) {}

  void add(std::int64_t weight, std::int64_t value) {
    if (value == 0 || weight > capacity_) return;
    const std::size_t reach = least_.size();
    least_.resize(reach + value, kUnreachable);
    for (std::size_t v = reach; v-- > 0;) {
      if (least_[v] > capacity_ - weight) continue;
      least_[v + value] = std::min(least_[v + value], least_[v] + weight);
    }
    while (least_.back() == kUnreachable) least_.pop_back();
  }

  /// The greatest value of a set within a capacity, which is at most the one above.
  std::int64_t greatest(std::int64_t capacity) const {
    std::int64_t v = std::ssize(least_) - 1;
    while (least_[v] > capacity) --v;
    return v;
  }

 private:
  std::int64_t capacity_;
  std::vector<std::int64_t> least_;
};

class FacetSearch {
 public:
  FacetSearch(const Knapsack& knapsack, std::span<const double> point)
      : knapsack_(knapsack), point_(point), room_(knapsack.capacity) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (knapsack.weights[i] == 0) continue;
      if (point[i] >= 1 - kWhole) {
        whole_.push_back(i);
        room_ -= knapsack.weights[i];
      } else {
        (point[i] > kWhole ? broken_ : absent_).push_back(i);
      }
    }
    // The order is free. Heaviest first takes half of the time of other orders on `resnet50`.
    for (auto* lifted : {&whole_, &absent_}) {
      std::stable_sort(lifted->begin(), lifted->end(),
                       [this](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    }
    while (room_ < 0 && !whole_.empty()) break_one();
  }

  std::optional<Knapsack> run() {
    if (room_ < 0 || broken_.empty() || broken_.size() > kMaxBroken) return std::nullopt;
    return find_values() ? lifted() : std::nullopt;
  }

 private:
  std::int64_t weight(std::size_t i) const { return knapsack_.weights[i]; }

  /// If the whole items do not fit, one of them counts as broken: the lightest of those whose room
  /// would do, or the heaviest.
  void break_one() {
    const auto enough = [this](std::size_t i) { return weight(i) >= -room_; };
    const auto found = std::find_if(whole_.rbegin(), whole_.rend(), enough);
    const auto chosen = found == whole_.rend() ? whole_.begin() : std::prev(found.base());
    room_ += weight(*chosen);
    broken_.push_back(*chosen);
    whole_.erase(chosen);
  }

  /// Values of the broken items beside all whole ones.
  bool find_values() {
    for (const std::size_t i : broken_) values_.push_back(weight(i) > room_ ? 1 : 0);
    if (std::find(values_.begin(), values_.end(), 1) != values_.end()) return true;
    Milp milp;
    for (const std::size_t i : broken_) {
      milp.add_column({.name = "a", .cost = -point_[i], .lower = 0, .upper = 1, .integer = false});
    }
    LinearProgram program(milp);
    for (int sets = 0; sets < kMaxSets; ++sets) {
      if (program.solve(kInfinity, kInfinity) != LinearProgram::Status::optimal) return false;
      const auto weights = program.values();
      double sum = 0;
      for (std::size_t q = 0; q < broken_.size(); ++q) sum += weights[q] * point_[broken_[q]];
      if (sum <= 1 + kWhole) return false;
      const MilpRow heavier = heaviest_set(weights);
      if (excess(heavier, weights) <= kWhole) {
        round(weights);
        return true;
      }
      program.add_rows({&heavier, 1});
    }
    return false;
  }

  /// The set that fits and weighs most, with what else fits: all weights of 1. Values above twice
  /// the limit count as that.
  MilpRow heaviest_set(std::span<const double> weights) const {
    constexpr std::int64_t kMost = 2 * kGrain;
    constexpr std::int64_t kNowhere = -1;
    std::vector<std::int64_t> least(kMost + 1, kUnreachable);
    least[0] = 0;
    std::vector<std::vector<std::int64_t>> from(broken_.size());
    for (std::size_t q = 0; q < broken_.size(); ++q) {
      from[q].assign(kMost + 1, kNowhere);
      const std::int64_t own = weight(broken_[q]);
      const std::int64_t value = std::llround(weights[q] * kGrain);
      for (std::int64_t v = kMost - 1; v >= 0 && value > 0; --v) {
        if (least[v] > room_ - own) continue;
        const std::int64_t to = std::min(kMost, v + value);
        if (least[v] + own >= least[to]) continue;
        least[to] = least[v] + own;
        from[q][to] = v;
      }
    }
    std::int64_t v = kMost;
    while (least[v] == kUnreachable) --v;
    std::int64_t left = room_ - least[v];
    MilpRow set{.upper = 1};
    std::vector<std::size_t> others;
    for (std::size_t q = broken_.size(); q-- > 0;) {
      if (from[q][v] == kNowhere) {
        others.push_back(q);
      } else {
        set.terms.push_back({static_cast<int>(q), 1});
        v = from[q][v];
      }
    }
    for (const std::size_t q : others) {
      if (weight(broken_[q]) > left) continue;
      set.terms.push_back({static_cast<int>(q), 1});
      left -= weight(broken_[q]);
    }
    return set;
  }

  /// Whole values in the same ratios, if there are small ones, or near them.
  void round(std::span<const double> weights) {
    const auto is_whole = [&](double grain) {
      return std::all_of(weights.begin(), weights.end(), [&](double x) {
        return std::abs(x * grain - std::round(x * grain)) < kWhole * grain;
      });
    };
    std::int64_t grain = 1;
    while (grain < kMaxGrain && !is_whole(static_cast<double>(grain))) ++grain;
    for (std::size_t q = 0; q < weights.size(); ++q) {
      values_[q] = std::llround(weights[q] * static_cast<double>(grain));
    }
  }

  /// The row of these values with all items in it. The value of an item at 1 is what the others
  /// gain in its absence, the value of an item at 0 is what they lose in its presence.
  std::optional<Knapsack> lifted() const {
    Knapsack row{.weights = std::vector<std::int64_t>(point_.size(), 0)};
    LeastWeights sets(knapsack_.capacity);
    const auto give = [&](std::size_t i, std::int64_t value) {
      row.weights[i] = value;
      sets.add(weight(i), value);
    };
    for (std::size_t q = 0; q < broken_.size(); ++q) give(broken_[q], values_[q]);
    std::int64_t room = room_;
    row.capacity = sets.greatest(room);
    for (const std::size_t i : whole_) {
      if (row.capacity > kMaxCapacity) return std::nullopt;
      room += weight(i);
      const std::int64_t more = sets.greatest(room) - row.capacity;
      give(i, more);
      row.capacity += more;
    }
    if (row.capacity > kMaxCapacity) return std::nullopt;
    for (const std::size_t i : absent_) {
      if (weight(i) > room) continue;
      give(i, row.capacity - sets.greatest(room - weight(i)));
    }
    return row;
  }

  const Knapsack& knapsack_;
  std::span<const double> point_;
  std::vector<std::size_t> whole_;
  std::vector<std::size_t> broken_;
  std::vector<std::size_t> absent_;
  std::int64_t room_;                 // beside all whole items
  std::vector<std::int64_t> values_;  // of the broken items
};

}  // namespace

Knapsack in_units(const Knapsack& knapsack) {
  if (knapsack.capacity < 0) return knapsack;
  Knapsack best = knapsack;
  double least = kInfinity;
  for (const std::int64_t unit : std::set(knapsack.weights.begin(), knapsack.weights.end())) {
    if (unit == 0) continue;
    Knapsack row{.capacity = knapsack.capacity / unit};
    std::int64_t total = 0;
    for (const std::int64_t weight : knapsack.weights) {
      row.weights.push_back(weight / unit);
      total += weight / unit;
    }
    const double share = static_cast<double>(row.capacity) / static_cast<double>(total);
    if (share >= least) continue;
    least = share;
    best = std::move(row);
  }
  return best;
}

double distance(const Knapsack& row, std::span<const double> point) {
  double beyond = -static_cast<double>(row.capacity);
  double squares = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const auto weight = static_cast<double>(row.weights[i]);
    beyond += weight * point[i];
    squares += weight * weight;
  }
  return beyond / std::sqrt(std::max(squares, 1.0));
}

std::optional<Knapsack> violated_facet(const Knapsack& knapsack, std::span<const double> point,
                                       double tolerance) {
  std::optional<Knapsack> row = FacetSearch(knapsack, point).run();
  if (row && distance(*row, point) <= tolerance) row.reset();
  return row;
}

}  // namespace poet
