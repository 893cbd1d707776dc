#include <fmt/format.h>

#include "arrays/little_endian.hpp"
#include "arrays/read_arrays.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {

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
