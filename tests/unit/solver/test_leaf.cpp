// Leaves against all points: whatever the prices are, they prove nothing that is not so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "solver/moments/leaf.hpp"
#include "solver/search/position.hpp"
#include "support/two_orders.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(WholePrices, AreRoundedToMultiplesOfTheirUnit) {
  const std::vector<double> prices{0.3, 0.5, 1.4, 2.6, -1, 0};
  EXPECT_THAT(whole_prices(prices, 0).of_rows, ElementsAre(Pair(1, 1), Pair(2, 1), Pair(3, 3)));
  EXPECT_THAT(whole_prices(prices, -1).of_rows,
              ElementsAre(Pair(0, 1), Pair(1, 1), Pair(2, 3), Pair(3, 5)));
  EXPECT_THAT(whole_prices(prices, 2).of_rows, ElementsAre(Pair(3, 1)));
  EXPECT_EQ(whole_prices(prices, 2).exponent, 2);
}

TEST(WholePrices, LeaveOutWhatIsNoPrice) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(whole_prices({{std::nan(""), infinity, -infinity, 1e300}}, 0).of_rows, IsEmpty());
}

/// The columns of a step of six nodes at one moment, few enough for a look at every point.
class Leaf : public testing::Test {
 protected:
  static constexpr int kRows = 4;

  std::vector<ProofRow> random_rows(Random& random) const {
    std::vector<ProofRow> rows(kRows);
    for (ProofRow& row : rows) {
      for (int terms = 1 + random.below(4); terms > 0; --terms) {
        row.add(random.below(7) - 3, random.below(static_cast<int>(model_.size())));
      }
      row.bound = random.below(4) - 1;
      row.finish();
    }
    return rows;
  }

  /// The least cost of a point that satisfies the rows; none if no point does.
  std::optional<std::int64_t> least_cost(const std::vector<ProofRow>& rows) const {
    std::optional<std::int64_t> least;
    for (unsigned point = 0; point < 1U << model_.size(); ++point) {
      const auto value = [point](ProofColumn column) { return point >> column & 1; };
      const bool satisfies = std::all_of(rows.begin(), rows.end(), [&](const ProofRow& row) {
        std::int64_t sum = 0;
        for (const auto& [column, coefficient] : row.terms) sum += value(column) * coefficient;
        return sum >= row.bound;
      });
      if (!satisfies) continue;
      std::int64_t cost = 0;
      for (std::size_t c = 0; c < model_.size(); ++c) {
        cost += value(static_cast<ProofColumn>(c)) * model_.cost(static_cast<ProofColumn>(c));
      }
      least = std::min(cost, least.value_or(cost));
    }
    return least;
  }

  Problem problem_{.graph = two_orders().graph,
                   .limits = {.ram_budget_bytes = 120, .runtime_budget_seconds = 12}};
  ProofCosts costs_ = costs_for_claim(problem_.graph, 12);
  MomentModel model_{problem_, costs_, {4}, false};
};

TEST_F(Leaf, ProvesNoMoreThanTheCheapestPointCosts) {
  ASSERT_GE(model_.size(), 6U);
  ASSERT_LE(model_.size(), 14U);
  int bounds = 0;
  int none = 0;
  for (int seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const std::vector<ProofRow> rows = random_rows(random);
    std::vector<const ProofRow*> pointers;
    for (const ProofRow& row : rows) pointers.push_back(&row);
    const std::optional<std::int64_t> least = least_cost(rows);
    const double unit = std::ldexp(1.0, -costs_.shift);  // a unit in joules
    for (int draw = 0; draw < 10; ++draw) {
      std::vector<double> prices(kRows);
      for (double& price : prices) price = random.below(3) == 0 ? 0 : random.uniform() / unit;
      const int exponent = random.below(60) - 20;
      const WholePrices whole = whole_prices(prices, exponent);
      const std::int64_t proven = proven_units(model_, pointers, whole);
      if (least) {
        EXPECT_LE(proven, *least) << "seed " << seed;
      }
      if (least && proven > 0) ++bounds;
      const WholePrices small = whole_prices({{1.0 + random.below(3), 1, 1, 1}}, 0);
      const bool refuted = proves_no_point(model_, pointers, small);
      if (least) {
        EXPECT_FALSE(refuted) << "seed " << seed;
      }
      if (refuted) ++none;
    }
  }
  EXPECT_GT(bounds, 100);
  EXPECT_GT(none, 20);
}

// Every row asks for 2^-53 of a column, and all columns may be 1. Their sum has more than 128 bits.
TEST_F(Leaf, ProvesNothingByNumbersThatAreTooLarge) {
  ProofRow row;
  row.add(std::int64_t{1} << 53, 0);
  row.bound = 1;
  for (const std::size_t count : {1, 4000, 5000, 100'000}) {
    const std::vector<const ProofRow*> rows(count, &row);
    const WholePrices largest = whole_prices(std::vector<double>(count, 4e18), 0);
    ASSERT_EQ(largest.of_rows.size(), count);
    EXPECT_FALSE(proves_no_point(model_, rows, largest)) << count;
    EXPECT_LE(proven_units(model_, rows, largest), 0) << count;
  }
}

TEST_F(Leaf, WithoutPricesProvesThatNothingIsBelowZero) {
  EXPECT_EQ(proven_units(model_, {}, {}), 0);
  EXPECT_FALSE(proves_no_point(model_, {}, {}));
}

}  // namespace
}  // namespace poet::test
