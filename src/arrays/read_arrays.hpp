#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace poet {

/// Numbers from a file, in the order of memory with the last extent running fastest.
struct NumberArray {
  std::vector<std::int64_t> shape;
  bool has_shape = true;    ///< false: the file holds the numbers and nothing else
  bool is_integer = false;  ///< int32 or int64; else float32 or float64
  std::vector<double> values;
};

/// Such an array under a name.
struct NamedArray {
  std::string name;
  NumberArray array;
};

/// Reads an array of NumPy (the format .npy, versions 1 to 3): float32, float64, int32 or int64,
/// little-endian, in C order. Throws InputError with the place for anything else.
NumberArray parse_npy(std::string_view bytes, const std::string& place);

/// Reads what numpy.savez() and savez_compressed() write: a ZIP file of .npy files, stored or
/// deflated, whose names without `.npy` name the arrays. Throws InputError with a line for each
/// member that is wrong, and for a file of which all members together have more than `max_bytes`: a
/// small file can claim to hold anything.
std::vector<NamedArray> parse_npz(std::string_view bytes, const std::string& place,
                                  std::size_t max_bytes);

/// Reads a file as .npy if it begins as one, and else as float32 or int32 numbers, little-endian,
/// and nothing else. Throws InputError with the path.
NumberArray read_array(const std::string& path, bool wants_integers, std::size_t max_bytes);

}  // namespace poet
