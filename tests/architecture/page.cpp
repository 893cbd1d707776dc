#include "architecture/page.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

namespace poet::test {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

/// The cells of `| a | b |`.
Words cells(std::string_view line) {
  Words result;
  for (std::size_t at = 1; at < line.size();) {
    const std::size_t end = std::min(line.find('|', at), line.size());
    result.push_back(trimmed(line.substr(at, end - at)));
    at = end + 1;
  }
  return result;
}

/// What stands between backticks.
Words code_words(std::string_view text) {
  Words result;
  while (true) {
    const std::size_t begin = text.find('`');
    const std::size_t end = text.find('`', begin + 1);
    if (begin == std::string_view::npos || end == std::string_view::npos) return result;
    result.emplace_back(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
  }
}

std::string code_word(std::string_view text) {
  const Words words = code_words(text);
  return words.empty() ? std::string() : words.front();
}

class PageReader {
 public:
  Page read(std::string_view markdown) {
    std::istringstream lines{std::string(markdown)};
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with('|')) {
        head_.clear();
        if (line.starts_with("Inside `")) inside_ = code_word(line);
      } else if (head_.empty()) {
        head_ = cells(line);
        if (has("files")) page_.tables.push_back({.folder = inside_, .rows = {}});
      } else if (!line.starts_with("|--")) {
        take_row(line);
      }
    }
    return std::move(page_);
  }

 private:
  bool has(const std::string& column) const {
    return std::find(head_.begin(), head_.end(), column) != head_.end();
  }

  void take_row(const std::string& line) {
    const Words found = cells(line);
    if (found.size() != head_.size()) throw std::runtime_error("not as wide as its head: " + line);
    std::map<std::string, std::string> row;
    for (std::size_t c = 0; c < found.size(); ++c) row[head_[c]] = found[c];
    if (has("may include")) {
      page_.layers.push_back({.folder = code_word(row["folder"]),
                              .headers = code_words(row["public headers"]),
                              .may_include = code_words(row["may include"])});
    } else if (has("target")) {
      page_.targets.push_back(
          {.name = code_word(row["target"]), .folders = code_words(row["folders"])});
    } else if (has("who may include it")) {
      page_.foreign.push_back({.beginnings = code_words(row["header"]),
                               .places = code_words(row["who may include it"])});
    } else if (has("files")) {
      const std::string folder = code_word(row["folder"]);
      Words files = code_words(row["files"]);
      for (std::string& file : files) file = folder.empty() ? file : folder + "/" + file;
      page_.tables.back().rows.push_back(std::move(files));
    }
  }

  Page page_;
  Words head_;
  std::string inside_;
};

}  // namespace

Page read_page(std::string_view markdown) {
  return PageReader().read(markdown);
}

}  // namespace poet::test
