// Parsing with the JSON library's tokens and events, but with limits and places of our own. Keys
// that come twice, deep nesting, huge files, numbers beyond a double and bytes that are not UTF-8
// are refused here, before any reader sees them. The library's tree would need a second pass for
// all of it, and could not find a key that it has overwritten. Its events come once per token, so
// the checks cost nothing that shows.

#include "formats/json/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/escape.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using nlohmann::json;

/// `line:column` of a byte offset, both from 1; columns count characters, not bytes.
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  const std::string_view columns = before.substr(line_start);
  const auto column = 1 + std::count_if(columns.begin(), columns.end(), [](char c) {
                        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
                      });
  return fmt::format("{}:{}", line, column);
}

bool ends_word(char c) {
  return std::string_view(" \t\r\n,:[]{}\"").find(c) != std::string_view::npos;
}

/// Bytes of a text that record how far they have been read: the library reports the position of
/// syntax errors only, and accepts a key that comes twice.
class WatchedBytes {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedBytes(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  WatchedBytes& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const WatchedBytes& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

/// Builds the document from the library's parse events. The library's own builder keeps the last
/// of two equal keys, nests without limit and takes any number of values.
class Builder : public nlohmann::json_sax<json> {
 public:
  /// `reached` is the byte after the last one that the parser has read.
  Builder(std::string_view text, std::string_view source, const char* const& reached,
          std::size_t max_values)
      : text_(text), source_(source), reached_(reached), max_values_(max_values) {}

  json take() { return std::move(root_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }  // JSON text has none
  bool start_object(std::size_t /*elements*/) override { return open(json::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (open_.back().container->contains(name)) {
      throw InputError(fmt::format("{}: {}", place_of_key(name), json_path(path(), name)),
                       "found the key twice, expected it once");
    }
    open_.back().key = std::move(name);
    return true;
  }

  /// The library says at which byte it gave up and in words why. The words decide where the fault
  /// begins (start_of_fault), and only a number that is too large has a message of its own, which
  /// the library tells apart by an id.
  bool parse_error(std::size_t end, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;
    const bool overflow = error.id == kNumberOverflow;
    const std::size_t start = start_of_fault(end, token, overflow, error.what());
    const std::string place =
        fmt::format("{}:{}", shown_source(source_), line_and_column(text_, start));
    const char* const expected = complete_       ? "the end of the file"
                                 : open_.empty() ? "a JSON object"
                                                 : "valid JSON";
    if (start == text_.size()) {
      throw InputError(place, fmt::format("found the end of the file, expected {}", expected));
    }
    std::size_t stop = start + 1;
    if (text_[start] == '"') stop = std::max(stop, std::min(end, text_.size()));
    while (text_[start] != '"' && !ends_word(text_[stop - 1]) && stop < text_.size() &&
           !ends_word(text_[stop])) {
      ++stop;
    }
    const std::string found = printable(text_.substr(start, stop - start), 40);
    if (overflow) {
      throw InputError(place, fmt::format("found the number {}, expected at most 1.797e308 in "
                                          "magnitude",
                                          found));
    }
    const char* const quote = found.front() == '"' ? "" : "'";
    throw InputError(place, fmt::format("found {0}{1}{0}, expected {2}", quote, found, expected));
  }

 private:
  struct Frame {
    json* container = nullptr;  ///< stays valid: its parent grows only after it is closed
    std::string key{};
  };

  json* place(json&& value) {
    if (++values_ > max_values_) {
      throw InputError(fmt::format("{}: {}", shown_source(source_), printable(path(), 200)),
                       fmt::format("found more than {} values in one file", max_values_));
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Frame& frame = open_.back();
    if (frame.container->is_array()) {
      frame.container->push_back(std::move(value));
      return &frame.container->back();
    }
    json& member = (*frame.container)[frame.key];
    member = std::move(value);
    return &member;
  }

  bool put(json value) {
    place(std::move(value));
    complete_ = open_.empty();
    return true;
  }

  bool open(json&& container) {
    if (open_.size() == kMaxJsonDepth) {
      throw InputError(fmt::format("{}: {}", shown_source(source_), printable(path(), 200)),
                       fmt::format("found more than {} nested arrays and objects", kMaxJsonDepth));
    }
    open_.push_back({.container = place(std::move(container))});
    return true;
  }

  bool close() {
    open_.pop_back();
    complete_ = open_.empty();
    return true;
  }

  /// Where the token begins that the library could not use; it reports where it stopped reading.
  std::size_t start_of_fault(std::size_t end, std::string_view token, bool overflow,
                             std::string_view words) const {
    words = words.substr(0, words.find("; last read"));
    const auto says = [&](const char* what) { return words.find(what) != std::string_view::npos; };
    if (says("invalid string")) return std::min(end - 1, text_.size());
    if (!overflow && !says("invalid literal") && !says("invalid number")) {
      if (end > text_.size()) return text_.size();
      if (text_[end - 1] == '"') return end - token.size();
      if (ends_word(text_[end - 1])) return end - 1;
    }
    std::size_t start = std::min(end, text_.size()) - 1;
    if (ends_word(text_[start]) && start > 0 && !ends_word(text_[start - 1])) --start;
    while (start > 0 && !ends_word(text_[start - 1])) --start;
    return start;
  }

  /// Where the key begins that has just been read; where it ends if it is written with escapes.
  std::string place_of_key(std::string_view name) const {
    const auto quote = static_cast<std::size_t>(reached_ - text_.data()) - 1;
    const bool plain =
        name.size() < quote && text_.substr(quote - name.size(), name.size()) == name;
    const std::size_t start = plain ? quote - name.size() - 1 : quote;
    return fmt::format("{}:{}", shown_source(source_), line_and_column(text_, start));
  }

  std::string path() const {
    std::string result;
    for (std::size_t depth = 0; depth + 1 < open_.size(); ++depth) {
      const Frame& frame = open_[depth];
      result = json_path(result, frame.container->is_object()
                                     ? frame.key
                                     : std::to_string(frame.container->size() - 1));
    }
    return result;
  }

  std::string_view text_;
  std::string_view source_;
  const char* const& reached_;
  std::size_t max_values_;
  std::size_t values_ = 0;
  json root_;
  std::vector<Frame> open_;
  bool complete_ = false;
};

/// A picture or a program that is taken for a model is a likely slip; the message names its first
/// byte that is not UTF-8.
void check_bytes(std::string_view text, std::string_view source) {
  const std::string name = shown_source(source);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InputError(name + ":1:1", "found an empty file, expected a JSON object");
  }
  const std::size_t bad = std::min(first_invalid_utf8(text), text.find('\0'));
  if (bad >= text.size()) return;
  throw InputError(fmt::format("{}:{}", name, line_and_column(text, bad)),
                   fmt::format("found the byte 0x{:02x}, expected JSON text in UTF-8 (is this a "
                               "binary file?)",
                               static_cast<unsigned char>(text[bad])));
}

}  // namespace

// Bytes are checked in one pass before parsing, so that messages quote valid text only.
nlohmann::json parse_json(std::string_view text, std::string_view source, std::size_t max_values) {
  check_bytes(text, source);
  const char* reached = text.data();
  Builder builder(text, source, reached, max_values);
  json::sax_parse(WatchedBytes(text.data(), &reached),
                  WatchedBytes(text.data() + text.size(), &reached), &builder);
  return builder.take();
}

std::string json_path(std::string_view base, std::string_view step) {
  return fmt::format("{}/{}", base, pointer_token(printable(step)));
}

}  // namespace poet
