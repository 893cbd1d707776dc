// The format is described in NumPy's documentation of numpy.lib.format: a magic word, a version,
// the length of a header, the header, which is a dict in Python's syntax, and the numbers.

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "arrays/little_endian.hpp"
#include "arrays/read_arrays.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxExtents = 32;  // as in NumPy

struct ElementType {
  std::string_view code;  ///< in a header
  std::size_t bytes;
  bool is_integer;
  std::vector<double> (*read)(std::string_view bytes);
};

constexpr std::array<ElementType, 4> kElementTypes = {{
    {"<f4", 4, false, all_numbers<float>},
    {"<f8", 8, false, all_numbers<double>},
    {"<i4", 4, true, all_numbers<std::int32_t>},
    {"<i8", 8, true, all_numbers<std::int64_t>},
}};

/// Reads the dict of a header: three keys, whose values are a string, a word and a tuple.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  void read() {
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      read_value(key);
      if (take(',')) continue;
      expect('}');
      break;
    }
    skip_blanks();
    if (!text_.empty()) fail("the end of the header");
    if (!type || !is_fortran || !shape) {
      throw InputError(place_, "the header lacks one of 'descr', 'fortran_order' and 'shape'");
    }
  }

  std::optional<std::string_view> type;
  std::optional<bool> is_fortran;
  std::optional<std::vector<std::int64_t>> shape;

 private:
  void read_value(std::string_view key) {
    if (key == "descr" && !type) {
      skip_blanks();
      if (text_.starts_with('[')) fail("one element type: records are not supported");
      type = string();
    } else if (key == "fortran_order" && !is_fortran) {
      is_fortran = word();
    } else if (key == "shape" && !shape) {
      shape = extents();
    } else {
      throw InputError(place_, fmt::format("the header has '{}'; expected 'descr', "
                                           "'fortran_order' and 'shape', each once",
                                           printable(key)));
    }
  }

  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) {
      text_.remove_prefix(1);
    }
  }

  bool take(char wanted) {
    skip_blanks();
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) fail(fmt::format("'{}'", wanted));
  }

  std::string_view string() {
    skip_blanks();
    const char quote = text_.empty() ? ' ' : text_.front();
    if (quote != '\'' && quote != '"') fail("a string");
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail("a string that ends");
    const std::string_view found = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return found;
  }

  bool word() {
    skip_blanks();
    for (const bool value : {false, true}) {
      const std::string_view name = value ? "True" : "False";
      if (!text_.starts_with(name)) continue;
      text_.remove_prefix(name.size());
      return value;
    }
    fail("True or False");
  }

  std::vector<std::int64_t> extents() {
    std::vector<std::int64_t> found;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      std::int64_t extent = 0;
      const char* const end = text_.data() + text_.size();
      const auto [stop, error] = std::from_chars(text_.data(), end, extent);
      if (error != std::errc{} || extent < 0) fail("an extent from 0");
      text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
      found.push_back(extent);
      if (found.size() > kMaxExtents) fail(fmt::format("at most {} extents", kMaxExtents));
      if (take(',')) continue;
      expect(')');
      break;
    }
    return found;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError(place_, fmt::format("the header has '{}'; expected {}",
                                         printable(text_.substr(0, 20)), expected));
  }

  std::string_view text_;
  const std::string& place_;
};

/// The elements of a shape, or nothing if they are more than `most`.
std::optional<std::size_t> count_within(const std::vector<std::int64_t>& shape, std::size_t most) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::size_t count = 1;
  for (const std::int64_t extent : shape) {
    if (static_cast<std::uint64_t>(extent) > most / count) return std::nullopt;
    count *= static_cast<std::size_t>(extent);
  }
  return count;
}

/// Takes the magic word, the version and the header off the bytes; what is left are the numbers.
std::string_view take_header(std::string_view& bytes, const std::string& place) {
  constexpr std::size_t kVersionBytes = 2;
  if (!bytes.starts_with(kMagic)) {
    throw InputError(place, "does not begin as a .npy file; expected one as numpy.save() writes");
  }
  bytes.remove_prefix(kMagic.size());
  const int version = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3 || bytes.size() < kVersionBytes + length_bytes) {
    throw InputError(place, fmt::format("found version {} of .npy; expected 1 to 3", version));
  }
  bytes.remove_prefix(kVersionBytes);
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  bytes.remove_prefix(length_bytes);
  if (length > bytes.size()) {
    throw InputError(place, fmt::format("the header has {} bytes, and the file {} behind its "
                                        "length",
                                        length, bytes.size()));
  }
  const std::string_view header = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return header;
}

}  // namespace

NumberArray parse_npy(std::string_view bytes, const std::string& place) {
  HeaderReader header(take_header(bytes, place), place);
  header.read();
  const auto type = std::find_if(kElementTypes.begin(), kElementTypes.end(),
                                 [&](const ElementType& each) { return each.code == header.type; });
  if (type == kElementTypes.end()) {
    throw InputError(place, fmt::format("found elements of the type '{}'; expected '<f4', '<f8', "
                                        "'<i4' or '<i8', little-endian",
                                        printable(*header.type)));
  }
  if (*header.is_fortran) {
    throw InputError(place,
                     "found Fortran order; expected C order, as numpy.ascontiguousarray() gives");
  }
  const auto count = count_within(*header.shape, bytes.size() / type->bytes);
  if (!count || *count * type->bytes != bytes.size()) {
    throw InputError(place, fmt::format("found {} bytes of numbers; expected {} of the header's "
                                        "shape ({})",
                                        bytes.size(), count ? "those" : "more, those",
                                        fmt::join(*header.shape, ", ")));
  }
  return {.shape = std::move(*header.shape),
          .has_shape = true,
          .is_integer = type->is_integer,
          .values = type->read(bytes)};
}

}  // namespace poet
