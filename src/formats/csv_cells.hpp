#pragma once

#include <string_view>
#include <vector>

namespace poet {

/// Takes the first line off a text, without the end of the line.
std::string_view take_csv_line(std::string_view& text);

/// The cells of a line between commas, without the blanks around them. Nothing is quoted.
std::vector<std::string_view> csv_cells(std::string_view line);

}  // namespace poet
