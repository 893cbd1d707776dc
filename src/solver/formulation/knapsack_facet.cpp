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

  /// Of a set of this value.
  std::int64_t least(std::int64_t value) const {
    return value < std::ssize(least_) ? least_[value] : kUnreachable;
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
      const std::optional<MilpRow> heavier = heavier_set(weights);
      if (!heavier) {
        round(weights);
        return true;
      }
      program.add_rows({&*heavier, 1});
    }
    return false;
  }

  /// A set that fits and weighs more than 1, with what else fits, if there is one. Most are found
  /// by taking items in the order of their weights by byte, each of them first in turn. Only the
  /// dynamic program, which takes longer, can tell that there is none.
  std::optional<MilpRow> heavier_set(std::span<const double> weights) const {
    std::vector<double> by_byte;
    std::vector<std::size_t> order;
    for (std::size_t q = 0; q < broken_.size(); ++q) {
      by_byte.push_back(weights[q] / static_cast<double>(weight(broken_[q])));
      order.push_back(q);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return by_byte[a] > by_byte[b]; });
    const auto is_heavier = [&](const MilpRow& set) { return excess(set, weights) > kWhole; };
    for (const std::size_t q : order) {
      if (MilpRow set = filled({q}, order); is_heavier(set)) return set;
    }
    MilpRow set = filled(heaviest_set(weights), order);
    return is_heavier(set) ? std::optional(std::move(set)) : std::nullopt;
  }

  /// The set with what else fits, in this order: all weights of 1.
  MilpRow filled(std::vector<std::size_t> set, std::span<const std::size_t> order) const {
    std::int64_t left = room_;
    for (const std::size_t q : set) left -= weight(broken_[q]);
    for (const std::size_t q : order) {
      if (weight(broken_[q]) > left || std::find(set.begin(), set.end(), q) != set.end()) continue;
      set.push_back(q);
      left -= weight(broken_[q]);
    }
    MilpRow row{.upper = 1};
    for (const std::size_t q : set) row.terms.push_back({static_cast<int>(q), 1});
    return row;
  }

  /// The set that fits and weighs most.
  std::vector<std::size_t> heaviest_set(std::span<const double> weights) const {
    std::vector<LeastWeights> tables{LeastWeights(room_)};
    std::vector<std::int64_t> values;
    for (std::size_t q = 0; q < broken_.size(); ++q) {
      values.push_back(std::llround(weights[q] * kGrain));
      tables.push_back(tables.back());
      tables.back().add(weight(broken_[q]), values.back());
    }
    std::vector<std::size_t> set;
    std::int64_t value = tables.back().greatest(room_);
    for (std::size_t q = broken_.size(); q-- > 0;) {
      if (tables[q].least(value) == tables[q + 1].least(value)) continue;
      set.push_back(q);
      value -= values[q];
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
