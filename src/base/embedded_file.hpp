#pragma once

#include <string_view>

namespace poet {

/// A file compiled into the program (see cmake/PoetEmbed.cmake).
struct EmbeddedFile {
  std::string_view name;  ///< without folder, and for a .json file without its ending
  std::string_view text;
};

}  // namespace poet
