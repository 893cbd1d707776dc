#pragma once

#include <cstddef>
#include <string>

#include "pictures/svg_writer.hpp"

namespace poet::plot {

/// Fills for tensors: the colours of Okabe and Ito ("Color Universal Design", 2008), which readers
/// with any common colour vision can tell apart, first plain, then striped. Their black is left to
/// text and marks.
inline constexpr std::size_t kBandStyles = 12;

/// The CSS class of the k-th fill, of kBandStyles.
std::string band_class(std::size_t k);

/// The classes of all other tensors: of the forward and of the backward pass.
inline constexpr const char* kRestClass = "rest";
inline constexpr const char* kRestBackwardClass = "rest-backward";

/// The class of the workspace of computations.
inline constexpr const char* kWorkspaceClass = "soft";

/// The style sheet of pictures with bands, and the patterns that it refers to.
std::string schedule_style_sheet();
void write_schedule_patterns(SvgWriter& svg);

}  // namespace poet::plot
