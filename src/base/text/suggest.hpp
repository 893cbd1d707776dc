#pragma once

#include <span>
#include <string>
#include <string_view>

namespace poet {

// A misspelt name is the most common mistake in a file or on a command line. The error that names
// the right one saves a look into the documentation.

/// The fewest single-character insertions, deletions and replacements that turn `from` into `to`
/// (Levenshtein 1966), in O(|from| * |to|) time and O(|to|) memory.
int edit_distance(std::string_view from, std::string_view to);

/// The candidate nearest to `word` if it is near enough to be a slip of the keyboard (at most a
/// third of the letters differ), else an empty view. The first candidate wins a tie. A word
/// above 64 bytes has no candidate: nobody types such a word by mistake, and a hostile file could
/// make the comparison slow.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// Returns the end of a message: `; did you mean 'kernel'?`, or nothing if no candidate is near. A
/// word that only begins some names, such as `resnet`, gets up to three of them.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace poet
