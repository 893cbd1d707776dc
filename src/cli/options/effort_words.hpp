#pragma once

#include <optional>
#include <string_view>

#include "poet/solve.hpp"

namespace poet::cli {

/// The words of --effort.
std::string_view effort_word(Effort effort);
std::optional<Effort> effort_of(std::string_view word);

}  // namespace poet::cli
