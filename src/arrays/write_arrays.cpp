// What `run` and `import` leave for NumPy. Members are stored and not deflated: weights hardly
// shrink, and a stored file can be read by a device or mapped by numpy.load().

#include "arrays/write_arrays.hpp"

#include <zip.h>

#include <bit>
#include <memory>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {
namespace {

using NewArchive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using HeldSource = std::unique_ptr<zip_source_t, decltype(&zip_source_free)>;

constexpr std::size_t kPreludeBytes = 10;  // magic word, version, length of the header
constexpr std::size_t kHeaderAlignment = 64;
// The first day that a ZIP file can state: 1 January 1980. NumPy writes the same.
constexpr zip_uint16_t kDosTime = 0;
constexpr zip_uint16_t kDosDate = (1 << 5) | 1;

template <typename Number>
void append_number(std::string& bytes, Number number) {
  using Bits = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
  const auto bits = std::bit_cast<Bits>(number);
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes += static_cast<char>(bits >> (8 * i) & 0xffU);
  }
}

/// A tuple of Python: one extent has a comma behind it.
std::string tuple_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

[[noreturn]] void fail_to_write(const char* why) {
  throw InternalError(fmt::format("libzip cannot write a .npz file: {}", why));
}

HeldSource growing_source() {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(nullptr, 0, 0, &error);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (source == nullptr) fail_to_write(why.c_str());
  return {source, zip_source_free};
}

/// The archive takes the source over; who wants to read it afterwards keeps it before.
NewArchive open_new(zip_source_t* source) {
  zip_error_t error;
  zip_error_init(&error);
  zip_t* const archive = zip_open_from_source(source, ZIP_TRUNCATE, &error);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive == nullptr) {
    zip_source_free(source);
    fail_to_write(why.c_str());
  }
  return {archive, zip_discard};
}

/// `text` has to stay where it is until the archive is closed.
void add_member(zip_t* archive, const std::string& name, const std::string& text) {
  zip_source_t* const source = zip_source_buffer(archive, text.data(), text.size(), 0);
  if (source == nullptr) fail_to_write(zip_strerror(archive));
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    fail_to_write(zip_strerror(archive));
  }
  const auto at = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(archive, at, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, at, kDosTime, kDosDate, 0) != 0) {
    fail_to_write(zip_strerror(archive));
  }
}

std::string text_of_source(zip_source_t* source) {
  if (zip_source_open(source) != 0) fail_to_write("the result cannot be read");
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  zip_int64_t count = 0;
  while ((count = zip_source_read(source, block.data(), block.size())) > 0) {
    text.append(block.data(), static_cast<std::size_t>(count));
  }
  zip_source_close(source);
  if (count < 0) fail_to_write("the result cannot be read");
  return text;
}

}  // namespace

std::string npy_bytes(const ArrayToWrite& array) {
  const bool is_integer = std::holds_alternative<std::vector<std::int64_t>>(array.values);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   is_integer ? "<i8" : "<f4", tuple_text(array.shape));
  // The numbers begin at a multiple of 64 bytes, and a header ends with a line.
  const std::size_t used = (kPreludeBytes + header.size() + 1) % kHeaderAlignment;
  if (used > 0) header.append(kHeaderAlignment - used, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xffU);
  bytes += static_cast<char>(header.size() >> 8U & 0xffU);
  bytes += header;
  std::visit(
      [&](const auto& values) {
        bytes.reserve(bytes.size() + values.size() * sizeof(values[0]));
        for (const auto each : values) append_number(bytes, each);
      },
      array.values);
  return bytes;
}

// libzip writes no file of no members, which is the end of a directory alone.
std::string npz_bytes(std::span<const ArrayToWrite> arrays) {
  if (arrays.empty()) return "PK\x05\x06" + std::string(18, '\0');
  std::vector<std::string> texts;
  texts.reserve(arrays.size());
  const HeldSource source = growing_source();
  zip_source_keep(source.get());
  NewArchive archive = open_new(source.get());
  for (const ArrayToWrite& array : arrays) {
    texts.push_back(npy_bytes(array));
    add_member(archive.get(), array.name + ".npy", texts.back());
  }
  if (zip_close(archive.get()) != 0) fail_to_write(zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // zip_close() has freed it
  return text_of_source(source.get());
}

}  // namespace poet
