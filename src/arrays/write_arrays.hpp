#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace poet {

/// Numbers for a file, in the order of memory with the last extent running fastest. They are as
/// many as the shape states; no extents stand for one number.
struct ArrayToWrite {
  std::string name;
  std::vector<std::int64_t> shape;
  std::variant<std::vector<float>, std::vector<std::int64_t>> values;
};

/// The array as a .npy file, version 1: float32 or int64, little-endian, in C order. The name is no
/// part of it.
std::string npy_bytes(const ArrayToWrite& array);

/// The arrays as a .npz file, which numpy.load() reads and parse_npz() as well: a ZIP file of .npy
/// files that are stored as they are. The same arrays give the same bytes at any time. Throws
/// InternalError if two arrays have one name, and if libzip fails.
std::string npz_bytes(std::span<const ArrayToWrite> arrays);

}  // namespace poet
