#pragma once

#include <string>
#include <string_view>

namespace poet::test {

/// A .npy file of version 1 with this header.
inline std::string npy_text(std::string_view header, std::string_view numbers) {
  std::string text = "\x93NUMPY\x01";
  text += '\0';
  text += static_cast<char>(header.size() % 256);
  text += static_cast<char>(header.size() / 256);
  return text.append(header).append(numbers);
}

/// The header that NumPy writes.
inline std::string npy_header(std::string_view type, std::string_view shape) {
  return "{'descr': '" + std::string(type) +
         "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }\n";
}

}  // namespace poet::test
