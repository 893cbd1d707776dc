#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace poet {

/// Takes the first line off a text, without the end of the line.
std::string_view take_csv_line(std::string_view& text);

/// The cells of a line between commas, without the blanks around them. Nothing is quoted.
std::vector<std::string_view> csv_cells(std::string_view line);

/// Reads what a board measured: CSV with the columns `instruction` (its number in the flat program,
/// from 0) and `ticks` (from 0; decimals are allowed), in any order, others ignored. Returns the
/// ticks of each of `instruction_count` instructions, in the order of the lines: several steps give
/// several. Throws InputError, with the line, for anything malformed, and for a table without
/// lines.
std::vector<std::vector<double>> parse_ticks(std::string_view text, const std::string& source,
                                             std::size_t instruction_count);

}  // namespace poet
