#pragma once

#include <string>

#include "sweep/compare.hpp"

namespace poet {

/// A comparison as one JSON document ("format": "poet-comparison", "version": 1); `code` is the
/// exit status that it leads to.
std::string comparison_json(const Comparison& comparison, int code);

/// A comparison as Markdown, for a pull request: a line that says it all, and tables of what
/// differs.
std::string comparison_markdown(const Comparison& comparison);

/// `16 points: 1 regression, 2 improvements`
std::string comparison_headline(const Comparison& comparison);

}  // namespace poet
