#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace poet {

// Names of models, layers and files come from the user. None of them may break the document that
// quotes it, or turn into a command. For messages on a terminal see printable().

/// Replaces what XML 1.0 does not allow, and other hidden characters, by U+FFFD; line ends and tabs
/// become blanks. One bad byte would otherwise make a browser refuse the whole picture.
std::string xml_characters(std::string_view text);

/// The same with the characters of XML's syntax escaped, fit for content and for the value of an
/// attribute in double quotes.
std::string xml_text(std::string_view text);

/// A name as a field of CSV (RFC 4180): in double quotes if it needs them, hidden characters as by
/// printable(), and behind an apostrophe if a spreadsheet would take it for a formula.
std::string csv_field(std::string_view name);

/// A key of a JSON object as a token of a JSON pointer (RFC 6901), and back.
std::string pointer_token(std::string_view key);
std::string key_of_token(std::string_view token);

/// Returns a word as a POSIX shell has to see it: unchanged if every character is harmless, else in
/// single quotes.
std::string shell_quoted(std::string_view word);

/// Returns a command line that a POSIX shell splits into these words.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace poet
