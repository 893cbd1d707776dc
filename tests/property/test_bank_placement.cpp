// Placements over banks against all that there are. The oracle knows nothing of prices, exchanges
// or trees: it tries every bank for every buffer, and every order within a bank.

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/banks.hpp"
#include "support/banked.hpp"
#include "support/cases.hpp"
#include "support/random_buffers.hpp"

namespace poet {
namespace {

using testing::IsEmpty;

/// By set of buffers, as bits: the smallest arena of all. Some order puts each buffer where the
/// best placement has it, right above those before it that live at the same time.
class SmallestArenas {
 public:
  SmallestArenas(const std::vector<Buffer>& buffers, Bytes alignment)
      : buffers_(buffers),
        alignment_(alignment),
        smallest_(std::size_t{1} << buffers.size(), std::numeric_limits<Bytes>::max()) {
    add(0, 0, std::vector<Bytes>(buffers.size(), -1));
  }

  Bytes of(unsigned set) const { return smallest_[set]; }

 private:
  void add(unsigned set, Bytes top, const std::vector<Bytes>& tops) {
    smallest_[set] = std::min(smallest_[set], top);
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      if (tops[b] >= 0) continue;
      Bytes offset = 0;
      for (std::size_t other = 0; other < buffers_.size(); ++other) {
        const bool meets =
            buffers_[other].lower < buffers_[b].upper && buffers_[b].lower < buffers_[other].upper;
        if (tops[other] >= 0 && meets) offset = std::max(offset, tops[other]);
      }
      std::vector<Bytes> next = tops;
      next[b] = offset + (buffers_[b].bytes + alignment_ - 1) / alignment_ * alignment_;
      add(set | 1U << b, std::max(top, next[b]), next);
    }
  }

  const std::vector<Buffer>& buffers_;
  Bytes alignment_;
  std::vector<Bytes> smallest_;
};

/// The least cost of any placement, if there is one.
std::optional<double> least_cost(const BankProblem& problem) {
  const int count = static_cast<int>(problem.buffers.size());
  const int first_kept = count - problem.kept;
  const std::vector<Buffer> moving(problem.buffers.begin(), problem.buffers.begin() + first_kept);
  const SmallestArenas arenas(moving, problem.alignment);
  const int banks = static_cast<int>(problem.banks.size());
  std::optional<double> least;
  std::vector<int> choice(count, 0);
  for (bool more = true; more;) {
    std::vector<unsigned> sets(banks, 0);
    std::vector<Bytes> kept(banks, 0);
    double cost = 0;
    bool fits = true;
    for (int b = 0; b < count; ++b) {
      if (b < first_kept) sets[choice[b]] |= 1U << b;
      if (b >= first_kept) kept[choice[b]] += problem.buffers[b].bytes;
      cost += static_cast<double>(problem.traffic[b]) * problem.banks[choice[b]].cost_per_byte;
      if (!problem.pinned.empty() && problem.pinned[b] >= 0) fits &= problem.pinned[b] == choice[b];
    }
    for (int k = 0; k < banks; ++k) {
      const Bytes left = problem.banks[k].bytes - kept[k];
      fits &= left >= 0;
      fits &= sets[k] == 0 ||
              arenas.of(sets[k]) <= left / problem.room_alignment * problem.room_alignment;
    }
    if (fits && (!least || cost < *least)) least = cost;
    more = false;
    for (int b = 0; b < count && !more; ++b) {
      choice[b] = (choice[b] + 1) % banks;
      more = choice[b] != 0;
    }
  }
  return least;
}

/// A placement by the judge of placements, bank by bank.
void expect_valid(const BankProblem& problem, const BankedOffsets& placement) {
  EXPECT_THAT(test::faults_in_banks(problem, placement), IsEmpty());
  for (std::size_t b = 0; b < problem.pinned.size(); ++b) {
    if (problem.pinned[b] < 0) continue;
    EXPECT_EQ(placement.banks[b], problem.pinned[b]);
  }
}

/// Adds up to three buffers that are kept, of sizes that are multiples of nothing.
void add_kept(test::Twister& random, BankProblem& problem, int max_bytes) {
  problem.kept = test::draw(random, 0, 3);
  problem.room_alignment = test::chance(random, 50) ? 32 : 1;
  std::int64_t end = 1;
  for (const Buffer& buffer : problem.buffers) end = std::max(end, buffer.upper);
  for (int i = 0; i < problem.kept; ++i) {
    const Bytes bytes = test::draw(random, 1, 2 * max_bytes);
    problem.buffers.push_back({.lower = 0, .upper = end, .bytes = bytes});
    problem.traffic.push_back(bytes * test::draw(random, 0, 4));
    if (!problem.pinned.empty()) problem.pinned.push_back(-1);
    for (Bank& bank : problem.banks)
      bank.bytes += test::draw(random, 0, 1) * bytes + test::draw(random, 0, 16);
  }
}

/// Banks that together have about as much as is in use at once.
BankProblem random_problem(test::Twister& random, int buffers, int banks, int max_bytes) {
  BankProblem problem{.buffers = test::random_buffers(random, buffers, max_bytes)};
  problem.alignment = test::chance(random, 30) ? 4 : 1;
  const Bytes peak = peak_bytes(problem.buffers, problem.alignment);
  for (const Buffer& buffer : problem.buffers) {
    problem.traffic.push_back(buffer.bytes * test::draw(random, 0, 6));
  }
  for (int k = 0; k < banks; ++k) {
    const int percent = test::draw(random, 60, 250);
    problem.banks.push_back({.bytes = peak * percent / (100 * banks),
                             .cost_per_byte = test::draw(random, 1, 20) / 4.0});
  }
  if (test::chance(random, 25)) {
    problem.pinned.assign(problem.buffers.size(), -1);
    problem.pinned[test::draw(random, 0, buffers - 1)] = test::draw(random, 0, banks - 1);
  }
  if (test::chance(random, 60)) add_kept(random, problem, max_bytes);
  return problem;
}

TEST(BankPlacement, CostsAsLittleAsAnyOfAFewBuffers) {
  int fitting = 0;
  const int cases = test::for_cases(5000, [&](int i) {
    test::Twister random(i);
    const BankProblem problem =
        random_problem(random, test::draw(random, 1, 7), test::draw(random, 2, 3),
                       test::chance(random, 50) ? 4 : 100);
    const std::optional<double> least = least_cost(problem);
    const BankPlacement found = place_in_banks(problem);
    if (!least) {
      ASSERT_EQ(found.status, PlacementStatus::impossible);
      EXPECT_FALSE(found.left_over.empty());
      return;
    }
    ++fitting;
    ASSERT_EQ(found.status, PlacementStatus::fits);
    ASSERT_NEAR(found.cost, *least, 1e-9 * *least);
    ASSERT_NEAR(found.bound, *least, 1e-6 * *least);
    expect_valid(problem, found.placement);
  });
  if (cases < 100) return;  // too few to tell
  EXPECT_GT(fitting, cases / 2);
  EXPECT_LT(fitting, cases);
}

// No oracle reaches this far, but a bound must not exceed what is found.
TEST(BankPlacement, IsValidForManyBuffersAndNeverBelowItsBound) {
  test::for_cases(12, [&](int i) {
    test::Twister random(i);
    const BankProblem problem =
        random_problem(random, test::draw(random, 8, 60), test::draw(random, 2, 4), 1000);
    const BankPlacement found = place_in_banks(problem, {.search_nodes = 2000});
    for (const BankOrder order : {BankOrder::size, BankOrder::traffic, BankOrder::density}) {
      const BankPlacement greedy = place_greedily_in_banks(problem, order);
      if (greedy.status != PlacementStatus::fits) continue;
      ASSERT_EQ(found.status, PlacementStatus::fits);
      ASSERT_LE(found.cost, greedy.cost);
      ASSERT_GE(greedy.cost, found.bound);
      expect_valid(problem, greedy.placement);
    }
    if (found.status != PlacementStatus::fits) return;
    ASSERT_LE(found.bound, found.cost);
    // No placement costs less than all buffers in the cheapest bank, pins or not.
    double cheapest = problem.banks[0].cost_per_byte;
    for (const Bank& bank : problem.banks) cheapest = std::min(cheapest, bank.cost_per_byte);
    const Bytes traffic = std::accumulate(problem.traffic.begin(), problem.traffic.end(), Bytes{0});
    EXPECT_GE(found.bound, (1 - 1e-6) * cheapest * static_cast<double>(traffic));
    EXPECT_NEAR(found.cost, cost_of(problem, found.placement.banks), 1e-9 * found.cost);
    expect_valid(problem, found.placement);
  });
}

}  // namespace
}  // namespace poet
