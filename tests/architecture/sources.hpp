#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "architecture/page.hpp"

namespace poet::test {

/// What a file includes.
struct Source {
  Words ours;     ///< `base/text/utf8.hpp`
  Words foreign;  ///< `<fmt/format.h`, without the closing bracket
  Words types;    ///< structs, classes and enums that it defines, nested ones excepted
  Words needs;    ///< of such headers, those that declare what the file uses; not all are known
};

/// Files by their path, `src/base/text/utf8.cpp` or `include/poet/units.hpp`.
using Sources = std::map<std::string, Source>;

/// The #include lines of a file.
Source read_source(std::string_view text);

/// The C++ files in these folders of the project in `root`, headers that CMake completes
/// (`version.hpp.in`) under the name that they get.
Sources read_sources(const std::filesystem::path& root, const Words& tops = {"src", "include"});

/// The path of a file of ours that is included by this name.
std::string path_of(const std::string& included);

/// A path without its ending: a header and its source are one unit.
std::string unit_of(const std::string& path);

// What is wrong, a line for each finding. An empty list is good.

/// Folders of src without a row, rows without a folder, public headers that are not in one row.
Words wrong_rows(const Page& page, const Sources& sources);
/// Rows that allow what is not below them.
Words wrong_order(const Page& page);
/// Includes of a folder that the row of a file does not name, and of files that are not there.
Words wrong_arrows(const Page& page, const Sources& sources);
/// Units that include each other in a circle.
Words circles(const Sources& sources);
/// Types that two headers define under one name. A linker does not mind, and keeps the inline
/// functions of one of them.
Words repeated_types(const Sources& sources);
/// Files of one name in `src`, `fields.hpp` apart: a name should lead to one place.
Words repeated_file_names(const Sources& sources);
/// In the tables of files: files that are not there, missing or listed twice, and includes of a
/// file in a row further down.
Words wrong_tables(const Page& page, const Sources& sources);
/// Headers of other projects that are included by a file that may not, or that no row names.
Words wrong_foreign(const Page& page, const Sources& sources);

}  // namespace poet::test
