#pragma once

#include <string>
#include <string_view>

namespace poet::plot {

/// The style sheet of a picture: text, lines and background, and the rules of its own for light
/// and for dark screens. Dark is what the reader's screen asks for; paper is always light.
std::string style_sheet(std::string_view light, std::string_view dark);

}  // namespace poet::plot
