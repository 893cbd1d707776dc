#pragma once

#include <string>
#include <string_view>

namespace poet {

/// Text without what XML does not allow: control characters, and bytes that are not UTF-8, become
/// U+FFFD; line ends and tabs become blanks. Names are the user's, and none of them may make a
/// picture unreadable.
std::string xml_characters(std::string_view text);

/// The same with XML's own characters escaped: fit for content and for an attribute's value.
std::string xml_text(std::string_view text);

}  // namespace poet
