#pragma once

#include <span>
#include <string>
#include <string_view>

namespace poet {

/// Fewest single-character insertions, deletions and replacements that turn `from` into `to`
/// (Levenshtein 1966), in O(|from| * |to|) time.
int edit_distance(std::string_view from, std::string_view to);

/// The candidate nearest to `word` if it is near enough to be a slip of the keyboard (at most a
/// third of the letters differ), else an empty view. The first candidate wins a tie.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// `; did you mean 'kernel'?`, or nothing when no candidate is near: made to end a message.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace poet
