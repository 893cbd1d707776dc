#pragma once

#include <string>
#include <string_view>

namespace poet::plot {

/// The margin around a picture, and the font sizes of the style sheet's classes, in pixels. A text
/// without a size of its own is as large as a strong one.
inline constexpr double kPageMargin = 24;
inline constexpr double kTitleSize = 20;
inline constexpr double kStrongSize = 12;
inline constexpr double kNoteSize = 11;

/// Returns the style sheet of a picture: the rules for text, lines and background that all pictures
/// share, and the picture's own, for light and for dark screens. The reader's screen decides which
/// of the two applies; paper is always light.
std::string style_sheet(std::string_view light, std::string_view dark);

/// Estimates how wide a text is, in pixels. The reader's font is not known when a picture is
/// written, so the estimate leans to the wide side.
double estimated_width(std::string_view text, double font_size);

/// Returns the text, or as much of its beginning and end as fits `width` with an ellipsis between:
/// names of layers often differ in their endings only. Cuts between characters, never inside one.
std::string shortened(std::string_view text, double font_size, double width);

}  // namespace poet::plot
