// Two networks in one program: every word of an export that begins with poet_ or POET_ begins with
// a name of its own. What is renamed is text, so that runtime, plan, builds and examples need no
// second form, and a debugger shows names that a search finds.

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "export/c_sources.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

bool is_name(std::string_view name) {
  constexpr std::size_t kLongest = 30;
  return !name.empty() && name.size() <= kLongest && name.front() >= 'a' && name.front() <= 'z' &&
         name.back() != '_' && name.find("__") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_of_word(c) && (c < 'A' || c > 'Z'); });
}

class Renamer {
 public:
  Renamer(const std::string& name, bool is_c) : name_(name), upper_(upper(name)), is_c_(is_c) {}

  std::string rename(std::string_view text) {
    std::string out;
    while (!text.empty()) {
      const std::size_t length = next(text);
      const std::string_view piece = text.substr(0, length);
      out += is_of_word(piece.front()) ? word(piece, text.substr(length)) : std::string(piece);
      text.remove_prefix(length);
    }
    return out;
  }

 private:
  /// The length of a word, of a string, which may be the name of a layer, or of one character.
  /// What is included is renamed.
  std::size_t next(std::string_view text) {
    if (is_of_word(text.front())) {
      const auto* last = std::find_if_not(text.begin(), text.end(), is_of_word);
      const auto length = static_cast<std::size_t>(last - text.begin());
      includes_ = includes_ || text.substr(0, length) == "include";
      return length;
    }
    if (text.front() == '\n') includes_ = false;
    if (!is_c_) return 1;
    in_comment_ = in_comment_ ? !text.starts_with("*/") : text.starts_with("/*");
    if (text.front() != '"' || in_comment_ || includes_) return 1;
    std::size_t at = 1;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
  }

  std::string word(std::string_view word, std::string_view rest) const {
    const bool is_snippet = word == "poet" && rest.starts_with(".mk");
    if (word.starts_with("poet_") || is_snippet) return name_ + std::string(word.substr(4));
    if (word.starts_with("POET_")) return upper_ + std::string(word.substr(4));
    if (is_c_ && !in_comment_ &&
        (word.starts_with(name_ + "_") || word.starts_with(upper_ + "_"))) {
      throw InputError("--name", fmt::format("found '{}', but the C has the word '{}'; expected "
                                             "another name",
                                             name_, word));
    }
    return std::string(word);
  }

  std::string name_, upper_;
  bool is_c_;
  bool in_comment_ = false, includes_ = false;
};

}  // namespace

void rename_words(FolderFiles& files, const std::string& name) {
  if (!is_name(name)) {
    throw InputError("--name",
                     "expected a letter from a to z, and then at most 29 such letters, digits and "
                     "single underscores");
  }
  for (FolderFile& file : files) {
    if (file.name != "LICENSE") file.text = Renamer(name, is_c_file(file.name)).rename(file.text);
    if (file.name.starts_with("poet")) file.name = name + file.name.substr(4);
  }
}

}  // namespace poet
