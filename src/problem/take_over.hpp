#pragma once

#include <optional>
#include <span>

namespace poet {

/// Which input a node takes over, of those that it may: the first whose last reader it is, else the
/// first. An input that other nodes read later can still be taken over, in a stage that computes
/// none of them; but the choice is made once for an order, so one that nobody needs afterwards
/// comes first. `last_reader` is by node.
inline std::optional<int> choose_in_place(std::span<const int> choices,
                                          std::span<const int> last_reader, int node) {
  for (const int input : choices) {
    if (last_reader[input] == node) return input;
  }
  return choices.empty() ? std::nullopt : std::optional(choices.front());
}

}  // namespace poet
