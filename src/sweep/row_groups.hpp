#pragma once

#include <span>
#include <string>
#include <vector>

#include "sweep/rows.hpp"

namespace poet {

/// A finding about a row: `point 3: ...`.
std::string named_row(const SweepRow& row, const std::string& what);

/// Whether no row is missing before the last, as in an interrupted sweep.
bool is_whole_sweep(std::span<const SweepRow> rows);

/// Appends what contradicts that the rows, of which there are some, belong to one sweep: their
/// numbers, and what is the same for all rows, for a model on a platform, and for a graph.
void check_row_groups(std::vector<std::string>& found, std::span<const SweepRow> rows);

}  // namespace poet
