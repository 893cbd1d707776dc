#pragma once

#include <span>
#include <string_view>

namespace poet {

/// A data file compiled into the program.
struct EmbeddedFile {
  std::string_view name;  ///< without folder and ending
  std::string_view text;
};

/// models/*.json and platforms/*.json, sorted by name (see cmake/PoetEmbed.cmake).
std::span<const EmbeddedFile> embedded_models();
std::span<const EmbeddedFile> embedded_platforms();

}  // namespace poet
