#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pictures/look.hpp"

namespace poet::plot {

/// The font sizes of the style sheet's classes, in layout pixels, besides the sizes that a look
/// has. A text without a size of its own is as large as a strong one.
inline constexpr double kStrongSize = 12;
inline constexpr double kNoteSize = 11;
inline constexpr double kSmallestSize = 10;

/// Returns the style sheet of a picture: the rules for text, lines and background that all pictures
/// share, and the picture's own, for a light and for a dark background. Unless the look decides
/// which of the two applies, the reader's screen does; paper is light then.
std::string style_sheet(const Look& look, std::string_view light, std::string_view dark);

/// Estimates how wide a text is, in pixels. The reader's font is not known when a picture is
/// written, so the estimate leans to the wide side.
double estimated_width(std::string_view text, double font_size);

/// Breaks a text at its blanks into lines of at most `width`. A word that is wider has a line of
/// its own, shortened.
std::vector<std::string> wrapped(std::string_view text, double font_size, double width);

/// Returns the text, or as much of its beginning and end as fits `width` with an ellipsis between:
/// names of layers often differ in their endings only. Cuts between characters, never inside one.
std::string shortened(std::string_view text, double font_size, double width);

}  // namespace poet::plot
