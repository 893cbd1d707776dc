#include "solver/formulation/knapsack_rounding.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace poet {
namespace {

constexpr std::int64_t kNone = -1;
constexpr std::int64_t kMaxValue = 64;  // of a rounded capacity; beyond it little is gained
constexpr std::size_t kMaxSubsetSums = 500;

/// Equal items taken together.
struct ItemClass {
  std::int64_t weight = 0;
  std::int64_t value = 0;  // rounded weight
  int count = 0;
};

/// Calls f(copies) for bundles of 1, 2, 4, ... copies and a rest. Every number of items from none
/// to all is a sum of bundles, and there are far fewer bundles than items.
template <typename Function>
void for_each_bundle(int count, Function f) {
  for (int size = 1; count > 0; size *= 2) {
    const int copies = std::min(size, count);
    f(copies);
    count -= copies;
  }
}

std::vector<ItemClass> classes_of(const Knapsack& knapsack) {
  std::map<std::int64_t, int> counts;
  for (const std::int64_t weight : knapsack.weights) ++counts[weight];
  std::vector<ItemClass> classes;
  for (const auto& [weight, count] : counts) {
    if (weight > 0) classes.push_back({.weight = weight, .count = count});
  }
  return classes;
}

/// The largest total value of a set of items that fits the capacity, or nothing above kMaxValue.
std::optional<std::int64_t> largest_value(const std::vector<ItemClass>& classes,
                                          std::int64_t capacity) {
  constexpr auto kUnreachable = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> least(1, 0);  // least[v]: least weight of a set of value v
  bool too_large = false;
  for (const ItemClass& item : classes) {
    if (item.value == 0) continue;
    for_each_bundle(item.count, [&](int copies) {
      const std::int64_t weight = copies * item.weight;
      const std::int64_t value = copies * item.value;
      std::int64_t reach = static_cast<std::int64_t>(least.size()) - 1;
      if (weight > capacity || too_large) return;
      if (reach + value > 2 * kMaxValue) {
        too_large = true;
        return;
      }
      least.resize(reach + value + 1, kUnreachable);
      for (; reach >= 0; --reach) {
        if (least[reach] == kUnreachable || least[reach] + weight > capacity) continue;
        std::int64_t& target = least[reach + value];
        target = std::min(target, least[reach] + weight);
      }
      while (least.back() == kUnreachable) least.pop_back();
    });
  }
  const auto largest = static_cast<std::int64_t>(least.size()) - 1;
  if (too_large || largest > kMaxValue) return std::nullopt;
  return largest;
}

/// Whether every set of items with a total value of at most `limit` fits the capacity.
bool all_fit(const std::vector<ItemClass>& classes, std::int64_t limit, std::int64_t capacity) {
  std::vector<std::int64_t> most(limit + 1, kNone);  // most[v]: greatest weight of value v
  most[0] = 0;
  std::int64_t heaviest = 0;
  for (const ItemClass& item : classes) {
    for_each_bundle(item.count, [&](int copies) {
      const std::int64_t weight = copies * item.weight;
      for (std::int64_t v = limit; v >= copies * item.value; --v) {
        const std::int64_t from = most[v - copies * item.value];
        if (from == kNone) continue;
        most[v] = std::max(most[v], from + weight);
        heaviest = std::max(heaviest, most[v]);
      }
    });
    if (heaviest > capacity) return false;
  }
  return true;
}

enum class Rounding { down, nearest, up, count };

std::int64_t rounded(std::int64_t weight, std::int64_t unit, Rounding rounding) {
  switch (rounding) {
    case Rounding::down:
      return weight / unit;
    case Rounding::nearest:
      return (weight + unit / 2) / unit;
    case Rounding::up:
      return (weight + unit - 1) / unit;
    case Rounding::count:
      break;
  }
  return weight >= unit ? 1 : 0;
}

/// Share of the items that the relaxation admits at once; the smaller, the tighter.
double looseness(const Knapsack& knapsack) {
  const auto total = std::accumulate(knapsack.weights.begin(), knapsack.weights.end(), 0.0);
  return total > 0 ? static_cast<double>(knapsack.capacity) / total : 1;
}

/// The knapsack in units of `unit`, with the least capacity that admits every set that fits, if it
/// is tighter than `looseness_to_beat`. Sets the values of the classes.
std::optional<Knapsack> in_units(const Knapsack& knapsack, std::vector<ItemClass>& classes,
                                 std::int64_t unit, Rounding rounding, double looseness_to_beat) {
  if (rounding != Rounding::count && knapsack.capacity / unit > kMaxValue) return std::nullopt;
  for (ItemClass& item : classes) item.value = rounded(item.weight, unit, rounding);
  const auto capacity = largest_value(classes, knapsack.capacity);
  if (!capacity) return std::nullopt;
  Knapsack result{.capacity = *capacity};
  for (const std::int64_t weight : knapsack.weights) {
    result.weights.push_back(rounded(weight, unit, rounding));
  }
  if (looseness(result) >= looseness_to_beat) return std::nullopt;
  return result;
}

/// Numbers of items of a unit or more admit other sets than the knapsack.
constexpr Rounding kExactRoundings[] = {Rounding::down, Rounding::nearest, Rounding::up};
constexpr Rounding kRoundings[] = {Rounding::down, Rounding::nearest, Rounding::up,
                                   Rounding::count};

/// The largest sum of weights within the capacity, or the capacity if there are too many sums.
std::int64_t largest_sum(const std::vector<ItemClass>& classes, std::int64_t capacity) {
  std::vector<std::int64_t> sums{0};
  std::vector<std::int64_t> shifted;
  std::vector<std::int64_t> merged;
  for (const ItemClass& item : classes) {
    for (int copy = 0; copy < item.count; ++copy) {
      shifted.clear();
      for (const std::int64_t sum : sums) {
        if (sum + item.weight <= capacity) shifted.push_back(sum + item.weight);
      }
      merged.clear();
      std::set_union(sums.begin(), sums.end(), shifted.begin(), shifted.end(),
                     std::back_inserter(merged));
      sums.swap(merged);
      if (sums.size() > kMaxSubsetSums || sums.back() == capacity) return capacity;
    }
  }
  return sums.back();
}

}  // namespace

Knapsack tighten(const Knapsack& knapsack) {
  if (knapsack.capacity < 0) return knapsack;  // admits nothing: keep that visible
  std::vector<ItemClass> classes = classes_of(knapsack);
  std::optional<Knapsack> best;
  // Among equals the rounded one wins: small integers suit a solver's tolerances.
  double to_beat = looseness(knapsack) * (1 + 1e-12);
  const std::vector<ItemClass> units = classes;
  for (const ItemClass& unit : units) {
    for (const Rounding rounding : kExactRoundings) {
      auto candidate = in_units(knapsack, classes, unit.weight, rounding, to_beat);
      if (!candidate || !all_fit(classes, candidate->capacity, knapsack.capacity)) continue;
      to_beat = looseness(*candidate);
      best = std::move(candidate);
    }
  }
  if (best) return *best;
  return {.weights = knapsack.weights, .capacity = largest_sum(classes, knapsack.capacity)};
}

std::vector<Knapsack> rounded_rows(const Knapsack& knapsack) {
  std::vector<Knapsack> rows;
  if (knapsack.capacity < 0) return rows;
  std::vector<ItemClass> classes = classes_of(knapsack);
  const double in_bytes = looseness(knapsack) * (1 + 1e-12);
  const std::vector<ItemClass> units = classes;
  for (const ItemClass& unit : units) {
    for (const Rounding rounding : kRoundings) {
      auto row = in_units(knapsack, classes, unit.weight, rounding, in_bytes);
      if (row) rows.push_back(std::move(*row));
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Knapsack& a, const Knapsack& b) {
    return looseness(a) < looseness(b);
  });
  return rows;
}

}  // namespace poet
