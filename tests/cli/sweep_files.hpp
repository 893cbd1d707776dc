#pragma once

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/poet_solve.hpp"

namespace poet::test {

using Lines = std::vector<nlohmann::json>;

/// A sweep with these lists, and whatever comes after.
inline Words sweep(const std::string& models, const std::string& platforms, const std::string& ram,
                   const std::string& runtime, const Words& more = {}) {
  return Words{"sweep", "--models",         models, "--platforms", platforms, "--ram-budget",
               ram,     "--runtime-budget", runtime} +
         more;
}

/// A text as lines of JSON; the test fails where one is none.
inline Lines as_lines(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(nlohmann::json::parse(line, nullptr, false));
    EXPECT_FALSE(lines.back().is_discarded()) << line;
  }
  return lines;
}

inline Lines lines_of(const std::string& path) {
  return as_lines(contents_of(path));
}

/// The lines without what may differ between two equal runs.
inline Lines without_timing(Lines lines) {
  for (nlohmann::json& line : lines) line.erase("timing");
  return lines;
}

/// Names of the points that stderr, not a terminal, says to be finished.
inline std::multiset<std::string> finished_points(const std::string& err) {
  std::multiset<std::string> names;
  std::istringstream stream(err);
  for (std::string line; std::getline(stream, line);) {
    // poet-solve: info: 3/16 linear/m4 both 3x 1 MiB: optimal ...
    const std::size_t slash = line.find('/');
    const std::size_t blank = line.find(' ', slash);
    const std::size_t colon = line.find(": ", blank);
    const bool is_count = slash != std::string::npos && slash > 0 && line[slash - 1] >= '0' &&
                          line[slash - 1] <= '9' && line.find("info: ") != std::string::npos;
    if (is_count && colon != std::string::npos && line.find("smallest RAM") == std::string::npos) {
      names.insert(line.substr(blank + 1, colon - blank - 1));
    }
  }
  return names;
}

}  // namespace poet::test
