#include "io/json/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/json/json_syntax.hpp"
#include "io/text/shown.hpp"
#include "io/text/utf8.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using nlohmann::json;

// Bytes of a text that leave word of how far they have been read: the library tells a builder the
// position of faults in the syntax only.
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

// Builds the document from the library's parse events. The library's own builder keeps the last
// of two equal keys, nests without limit and takes any number of values, so these checks live here.
class Builder : public nlohmann::json_sax<json> {
 public:
  /// `reached` is the byte after the last one that the parser has read.
  Builder(std::string_view text, std::string_view source, const char* const& reached,
          std::size_t most_values)
      : text_(text), source_(source), reached_(reached), most_values_(most_values) {}

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
    open_.back().has_key = true;
    return true;
  }

  bool parse_error(std::size_t end, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;
    JsonFault fault{.end = end, .token = token, .library_text = error.what()};
    const auto says = [&](const char* words) {
      return fault.library_text.find(words) != std::string::npos;
    };
    if (error.id == kNumberOverflow) {
      fault.kind = JsonFault::Kind::number_range;
    } else if (says("; last read: '\"") && says("- invalid string")) {
      fault.kind = JsonFault::Kind::broken_string;
    } else if (says("- invalid literal") || says("- invalid number")) {
      fault.kind = JsonFault::Kind::broken_word;
    }
    fault.complete = complete_;
    if (!open_.empty()) {
      fault.container = open_.back().container->is_object() ? '{' : '[';
      fault.after_key = open_.back().has_key;
    }
    throw_json_fault(fault, text_, source_);
  }

 private:
  struct Frame {
    json* container = nullptr;  ///< stays valid: its parent grows only after it is closed
    std::string key{};
    bool has_key = false;
  };

  json* place(json&& value) {
    if (++values_ > most_values_) {
      throw InputError(fmt::format("{}: {}", shown_source(source_), shown(path(), 200)),
                       fmt::format("found more than {} values in one file", most_values_));
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
    frame.has_key = false;
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
      throw InputError(fmt::format("{}: {}", shown_source(source_), shown(path(), 200)),
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
  std::size_t most_values_;
  std::size_t values_ = 0;
  json root_;
  std::vector<Frame> open_;
  bool complete_ = false;
};

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

nlohmann::json parse_json(std::string_view text, std::string_view source, std::size_t most_values) {
  check_bytes(text, source);
  const char* reached = text.data();
  Builder builder(text, source, reached, most_values);
  json::sax_parse(WatchedBytes(text.data(), &reached),
                  WatchedBytes(text.data() + text.size(), &reached), &builder);
  return builder.take();
}

std::string json_path(std::string_view base, std::string_view step) {
  std::string result(base);
  result += '/';
  for (const char c : shown(step)) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace poet
