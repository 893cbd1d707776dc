// libzip takes the ZIP file apart: stored and deflated members, ZIP64, checksums. NumPy writes all
// of these, depending on sizes and versions.

#include <zip.h>

#include <memory>
#include <set>

#include <fmt/format.h>

#include "arrays/little_endian.hpp"
#include "arrays/read_arrays.hpp"
#include "base/files/files.hpp"
#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Member = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

constexpr std::string_view kEnding = ".npy";

Archive open_archive(std::string_view bytes, const std::string& place) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* const archive =
      source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  const std::string why = printable(zip_error_strerror(&error));
  if (archive == nullptr && source != nullptr) zip_source_free(source);
  zip_error_fini(&error);
  if (archive == nullptr) {
    throw InputError(place, fmt::format("is not a ZIP file ({}); expected one as numpy.savez() "
                                        "writes",
                                        why));
  }
  return {archive, zip_discard};
}

/// The text of a member, which has to be as long as the directory of the file states.
std::string text_of(zip_t* archive, zip_uint64_t index, std::size_t size,
                    const std::string& place) {
  const Member member(zip_fopen_index(archive, index, 0), zip_fclose);
  if (!member) {
    throw InputError(place, fmt::format("cannot be read: {}", printable(zip_strerror(archive))));
  }
  std::string text(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const zip_int64_t count = zip_fread(member.get(), text.data() + done, size - done);
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  // The checksum is compared where the member ends.
  char more = 0;
  if (done != size || zip_fread(member.get(), &more, 1) != 0) {
    throw InputError(place, "is damaged: its data do not fit its size or its checksum");
  }
  return text;
}

}  // namespace

std::vector<NamedArray> parse_npz(std::string_view bytes, const std::string& place,
                                  std::size_t max_bytes) {
  const Archive archive = open_archive(bytes, place);
  std::vector<NamedArray> arrays;
  std::set<std::string> names;
  std::size_t left = max_bytes;
  InputErrors errors;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count && !errors.full(); ++i) {
    zip_stat_t about;
    zip_stat_init(&about);
    const auto index = static_cast<zip_uint64_t>(i);
    const bool is_known = zip_stat_index(archive.get(), index, 0, &about) == 0 &&
                          (about.valid & ZIP_STAT_NAME) != 0 && (about.valid & ZIP_STAT_SIZE) != 0;
    errors.collect([&] {
      if (!is_known) throw InputError(place, fmt::format("member {} has no name or size", i));
      std::string name = about.name;
      const std::string where = fmt::format("{}: '{}'", place, printable(name));
      if (!name.ends_with(kEnding)) throw InputError(where, "found no .npy file; expected one");
      if (about.size > left) {
        throw InputError(where,
                         fmt::format("found {} bytes of arrays or more; expected at most {} in all",
                                     max_bytes - left + about.size, max_bytes));
      }
      left -= about.size;
      name.resize(name.size() - kEnding.size());
      if (!names.insert(name).second) throw InputError(where, "found twice; expected once");
      const std::string text = text_of(archive.get(), index, about.size, where);
      arrays.push_back({.name = std::move(name), .array = parse_npy(text, where)});
    });
  }
  errors.throw_if_any();
  return arrays;
}

NumberArray read_array(const std::string& path, bool wants_integers, std::size_t max_bytes) {
  constexpr std::size_t kRawBytes = 4;
  const std::string bytes = read_file(path, max_bytes);
  const std::string place = shown_source(path);
  if (bytes.starts_with("\x93NUMPY") || path.ends_with(".npy")) return parse_npy(bytes, place);
  if (bytes.size() % kRawBytes != 0) {
    throw InputError(place,
                     fmt::format("found {} bytes; expected a .npy file, or numbers of 4 bytes each",
                                 bytes.size()));
  }
  NumberArray array{.shape = {}, .has_shape = false, .is_integer = wants_integers, .values = {}};
  array.values = wants_integers ? all_numbers<std::int32_t>(bytes) : all_numbers<float>(bytes);
  return array;
}

}  // namespace poet
