#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/moments/moment_model.hpp"

namespace poet {

/// Prices of rows: whole numbers above 0, by the row's place in the list that was priced, each
/// times 2^exponent.
struct WholePrices {
  int exponent = 0;
  std::vector<std::pair<int, std::int64_t>> of_rows{};
};

/// Rounds prices to multiples of 2^exponent.
WholePrices whole_prices(std::span<const double> prices, int exponent);

/// The extra energy, in units, that every point of these rows takes at least, for any prices: the
/// inequality of docs/certificate-format.md, "The tree", rounded down.
std::int64_t proven_units(const MomentModel& model, std::span<const ProofRow* const> rows,
                          const WholePrices& prices);

/// Whether the prices prove that no point satisfies the rows (Farkas).
bool proves_no_point(const MomentModel& model, std::span<const ProofRow* const> rows,
                     const WholePrices& prices);

}  // namespace poet
