// From lists of budgets to points, once what `min` stands for is known. A budget that is listed
// twice is an error, as rows would stand for the same problem; if `min` happens to meet another
// budget, one of the two is left out. Shares and names come to other bytes for each subject, so
// points are made subject by subject. Checks before the first solve use the working set for `min`,
// which it cannot be below: what fails with that would fail with any answer.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "model/chip_ram.hpp"
#include "poet/error.hpp"
#include "poet/sweep.hpp"
#include "sweep/dominance.hpp"

namespace poet {
namespace {

/// A RAM budget of one subject, and whether it depends on what `min` is.
struct Budget {
  Bytes bytes = 0;
  bool follows_min = false;
};

/// Budget number i of `count` from `first` to `last`, rounded down; the products stay small.
Bytes step(Bytes first, Bytes last, int i, int count) {
  const Bytes whole = (last - first) / (count - 1);
  const Bytes rest = (last - first) % (count - 1);
  return first + whole * i + rest * i / (count - 1);
}

Bytes resolved(const RamBudget& budget, const Subject& subject, Bytes smallest) {
  return with_place(subject.name(), [&] {
    return resolve(
        budget, subject.stated_base(),
        {.smallest = smallest, .chip = chip_ram_bytes(subject.model, subject.platform_or_null())});
  });
}

void add_range(const RamRange& range, const Subject& subject, Bytes smallest,
               std::vector<Budget>& budgets) {
  const bool follows_min = is_smallest(range.first);
  const Bytes first = resolved(range.first, subject, smallest);
  if (!range.last) {
    budgets.push_back({.bytes = first, .follows_min = follows_min});
    return;
  }
  const Bytes last = resolved(*range.last, subject, smallest);
  if (!follows_min && last == 0) {
    throw InputError(subject.name(), no_room_in_chip(subject.model, *subject.platform));
  }
  if (!follows_min && first >= last) {
    throw InputError(subject.name(),
                     fmt::format("a range of RAM budgets goes from {} to {} bytes; its first must "
                                 "be below its last",
                                 first, last));
  }
  for (int i = 0; i + 1 < range.count && first < last; ++i) {
    budgets.push_back({.bytes = step(first, last, i, range.count), .follows_min = follows_min});
  }
  budgets.push_back({.bytes = last});
}

/// The budgets of one subject, each once, in the order of the list.
std::vector<Bytes> budgets_of(const SweepGrid& grid, const Subject& subject, Bytes smallest) {
  std::vector<Budget> all;
  for (const RamRange& range : grid.ram) add_range(range, subject, smallest, all);
  std::vector<Budget> sorted = all;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Budget& a, const Budget& b) {
    return std::pair(a.bytes, a.follows_min) < std::pair(b.bytes, b.follows_min);
  });
  for (std::size_t b = 1; b < sorted.size(); ++b) {
    // A budget that follows `min` may coincide with another by chance; the user cannot foresee it.
    if (sorted[b].bytes != sorted[b - 1].bytes || sorted[b].follows_min) continue;
    throw InputError(subject.name(),
                     fmt::format("the RAM budget of {} bytes is there twice", sorted[b].bytes));
  }
  std::vector<Bytes> once;
  for (const Budget& budget : all) {
    if (std::find(once.begin(), once.end(), budget.bytes) == once.end()) {
      once.push_back(budget.bytes);
    }
  }
  return once;
}

void check_runtime(const SweepGrid& grid, const Subject& subject) {
  std::vector<Seconds> seconds;
  for (const RuntimeBudget& budget : grid.runtime) {
    seconds.push_back(resolve(budget, subject.stated_base()));
  }
  std::sort(seconds.begin(), seconds.end());
  const auto twice = std::adjacent_find(seconds.begin(), seconds.end());
  if (twice == seconds.end()) return;
  throw InputError(subject.name(),
                   fmt::format("the runtime budget of {} is there twice", format_seconds(*twice)));
}

// Checked before points are made: a slip in COUNT must not fill the memory first.
void check_count(std::size_t count) {
  if (count <= std::size_t{kMaxSweepPoints}) return;
  throw InputError(
      fmt::format("found {} points or more; a sweep has at most {}", count, kMaxSweepPoints));
}

/// A lower bound on what `min` is, by subject, for checks before it is known.
std::vector<Bytes> lower_bounds(const SweepGrid& grid) {
  std::vector<Bytes> bounds;
  for (const Subject& subject : grid.subjects) {
    bounds.push_back(working_set(subject.graph).bytes);
  }
  return bounds;
}

}  // namespace

std::string runtime_budget_name(const RuntimeBudget& budget) {
  const Ratio* ratio = std::get_if<Ratio>(&budget);
  return ratio != nullptr ? fmt::format("{}x", ratio->value)
                          : fmt::format("{}s", std::get<Seconds>(budget));
}

// The order of the points is the order of the rows and of the numbers in names of files, so it
// depends on nothing but the lists.
std::vector<SweepPoint> sweep_points(const SweepGrid& grid,
                                     const std::vector<Bytes>& smallest_ram) {
  std::vector<SweepPoint> points;
  for (std::size_t s = 0; s < grid.subjects.size(); ++s) {
    const Subject& subject = grid.subjects[s];
    check_runtime(grid, subject);
    const std::vector<Bytes> budgets = budgets_of(grid, subject, smallest_ram[s]);
    check_count(points.size() + grid.techniques.size() * grid.runtime.size() * budgets.size());
    for (const TechniqueSet set : grid.techniques) {
      for (const RuntimeBudget& runtime : grid.runtime) {
        for (const Bytes ram : budgets) {
          points.push_back({.subject = static_cast<int>(s),
                            .runtime = runtime,
                            .limits = limits_of(subject, set, runtime, ram)});
        }
      }
    }
  }
  return points;
}

void check_sweep(const SweepGrid& grid) {
  static_cast<void>(sweep_points(grid, lower_bounds(grid)));
}

}  // namespace poet
