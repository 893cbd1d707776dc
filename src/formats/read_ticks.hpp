#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace poet {

/// Reads what a board measured: CSV with the columns `instruction` (its number in the flat program,
/// from 0) and `ticks` (from 0; decimals are allowed), in any order, others ignored. Returns the
/// ticks of each of `instruction_count` instructions, in the order of the lines: several steps give
/// several. Throws InputError, with the line, for anything malformed, and for a table without
/// lines.
std::vector<std::vector<double>> parse_ticks(std::string_view text, const std::string& source,
                                             std::size_t instruction_count);

}  // namespace poet
