#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "measure.hpp"

namespace poet::bench {

/// `optimal`, `feasible`, ..., or `INVALID`, or `FAILED`.
std::string_view outcome(const Measurement& measurement);

/// (extra - best) / best for the schedule found and the best one known before; nothing where none
/// is known.
std::optional<double> excess_over_best(const Measurement& measurement);

/// Likewise for the best schedule at kEarly, over the best one known or, if better, proven in the
/// end. Nothing where neither is there, or there was no schedule yet.
std::optional<double> early_excess(const Measurement& measurement);

/// The heading of the table, two lines.
std::string table_heading();

/// One measurement as a row of the table.
std::string table_row(const Measurement& measurement);

}  // namespace poet::bench
