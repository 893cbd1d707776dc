#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "certify/moment_model.hpp"

namespace poet {

/// Prices of rows in whole numbers, each above 0, by the row's place in the list that was priced.
using WholePrices = std::vector<std::pair<int, std::int64_t>>;

/// Rounds the prices of a linear program to whole numbers.
///
///   scale  what a price of 1 becomes, before it is rounded
WholePrices whole_prices(std::span<const double> prices, std::span<const double> row_scales,
                         double scale);

/// The extra energy, in units, that every point of these rows takes at least, whatever the prices
/// are: the inequality of docs/certificate-format.md, "The tree", divided by the denominator and
/// rounded down.
std::int64_t proven_units(const MomentModel& model, std::span<const ProofRow* const> rows,
                          const WholePrices& prices, std::int64_t denominator);

/// Whether the prices prove that no point satisfies the rows (Farkas).
bool proves_no_point(const MomentModel& model, std::span<const ProofRow* const> rows,
                     const WholePrices& prices);

}  // namespace poet
