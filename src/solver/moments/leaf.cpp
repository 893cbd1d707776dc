// What prices of rows prove, in whole numbers. Any prices give a valid bound, however Clp came to
// them (Neumaier and Shcherbina, "Safe bounds in linear and mixed-integer linear programming",
// 2004): rows with prices add up to one row, and columns lie between 0 and 1. So a price may be
// rounded, and a price that is negative, tiny or too large for a whole number is left out; each
// makes the bound weaker and none makes it wrong. The checker computes the same sum in Python,
// where numbers have any size; here they have 128 bits, for whose sake the prices are limited. A
// product stays below 2^125, and thousands of the largest exceed 2^127: then nothing is proven.
//
// A leaf costs one pass over the nonzeros of its rows.

#include "solver/moments/leaf.hpp"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

/// Sum of price x bound, plus the least that `costs` less price x coefficient can come to; a
/// number below 0, as if nothing were proven, if a sum has more than 128 bits.
Wide least_sum(std::vector<Wide> costs, std::span<const ProofRow* const> rows,
               const WholePrices& prices, int shift) {
  Wide sum = 0;
  bool overflows = false;
  for (const auto& [r, price] : prices.of_rows) {
    const Wide whole = static_cast<Wide>(price) << shift;
    overflows |= __builtin_add_overflow(sum, whole * rows[r]->bound, &sum);
    for (const auto& [column, coefficient] : rows[r]->terms) {
      overflows |= __builtin_sub_overflow(costs[column], whole * coefficient, &costs[column]);
    }
  }
  for (const Wide cost : costs) {
    overflows |= __builtin_add_overflow(sum, std::min<Wide>(0, cost), &sum);
  }
  return overflows ? -1 : sum;
}

}  // namespace

WholePrices whole_prices(std::span<const double> prices, int exponent) {
  constexpr double kMostPrice = 4e18;
  WholePrices whole{.exponent = exponent};
  for (std::size_t r = 0; r < prices.size(); ++r) {
    const double price = std::ldexp(prices[r], -exponent);
    if (!(price >= 0.5) || std::ldexp(price, std::max(0, exponent)) > kMostPrice) continue;
    whole.of_rows.emplace_back(static_cast<int>(r), std::llround(price));
  }
  return whole;
}

std::int64_t proven_units(const MomentModel& model, std::span<const ProofRow* const> rows,
                          const WholePrices& prices) {
  const int fraction = std::max(0, -prices.exponent);  // bits of a unit
  std::vector<Wide> costs(model.size());
  for (std::size_t c = 0; c < costs.size(); ++c) {
    costs[c] = static_cast<Wide>(model.cost(static_cast<ProofColumn>(c))) << fraction;
  }
  const Wide sum = least_sum(std::move(costs), rows, prices, std::max(0, prices.exponent));
  if (sum < 0) return -1;
  return static_cast<std::int64_t>(std::min<Wide>(sum >> fraction, ProofCosts::kDear));
}

bool proves_no_point(const MomentModel& model, std::span<const ProofRow* const> rows,
                     const WholePrices& prices) {
  return least_sum(std::vector<Wide>(model.size()), rows, prices, 0) > 0;
}

}  // namespace poet
