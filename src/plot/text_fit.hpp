#pragma once

#include <string>
#include <string_view>

namespace poet::plot {

/// How wide a text is likely to be, in pixels. The reader's font is not known when a picture is
/// written, so this leans to the wide side.
double estimated_width(std::string_view text, double font_size);

/// The text, or as much of its beginning and end as fits `width` with an ellipsis between: names
/// of layers often differ in their endings only. Cut between characters, never inside one.
std::string shortened(std::string_view text, double font_size, double width);

}  // namespace poet::plot
