#include "cli/reference/footer.hpp"

#include <algorithm>
#include <string_view>

namespace poet::cli {
namespace {

/// The pieces of a text between separators.
std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return pieces;
}

std::vector<std::pair<std::string, std::string>> statuses(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.ends_with('.')) text.pop_back();
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string& piece : split(text, "; ")) {
    const std::size_t blank = std::min(piece.find(' '), piece.size());
    result.emplace_back(piece.substr(0, blank), piece.substr(std::min(blank + 1, piece.size())));
  }
  return result;
}

}  // namespace

Footer split_footer(const std::string& text) {
  constexpr std::string_view kExamples = "Examples:\n";
  constexpr std::string_view kStatus = "Exit status: ";
  Footer footer;
  for (const std::string& part : split(text, "\n\n")) {
    if (part.starts_with(kExamples)) {
      footer.examples = part.substr(kExamples.size());
    } else if (part.starts_with(kStatus)) {
      footer.statuses = statuses(part.substr(kStatus.size()));
    } else {
      footer.paragraphs.push_back(part);
    }
  }
  return footer;
}

}  // namespace poet::cli
