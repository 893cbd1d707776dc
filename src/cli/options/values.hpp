#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "io/text/shown.hpp"

namespace poet::cli {

/// Refuses text that is no number of this type with what it found and what it expected.
template <typename Number>
CLI::Validator number_text(const char* expected) {
  return CLI::Validator(
      [expected](std::string& text) {
        Number value{};
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        const bool fine = error == std::errc{} && stop == end;
        return fine ? std::string{} : fmt::format("found '{}'; expected {}", shown(text), expected);
      },
      "");
}

inline CLI::Validator real_text() {
  return number_text<double>("a number");
}

}  // namespace poet::cli
