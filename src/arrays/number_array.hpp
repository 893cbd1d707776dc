#pragma once

#include <cstdint>
#include <string>
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

}  // namespace poet
