#pragma once

#include <string>
#include <utility>
#include <vector>

namespace poet::cli {

/// The end of a command's --help in its parts: paragraphs, then `Examples:`, then `Exit status:`.
struct Footer {
  std::vector<std::string> paragraphs;
  std::string examples;                                       ///< lines as they are, indented
  std::vector<std::pair<std::string, std::string>> statuses;  ///< `2`, `bad usage or input`
};

Footer split_footer(const std::string& text);

}  // namespace poet::cli
