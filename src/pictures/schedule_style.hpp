#pragma once

#include <cstddef>
#include <string>

#include "pictures/look.hpp"
#include "pictures/svg_writer.hpp"

namespace poet::plot {

/// Colours for tensors, from Okabe and Ito ("Color Universal Design", 2008), which readers with any
/// common colour vision can tell apart. Their black is left to text and marks.
inline constexpr std::size_t kBandColours = 7;

/// The CSS class of the k-th colour, of kBandColours: plain for the forward pass, hatched for the
/// backward pass, which is all that a hatch means.
std::string band_class(std::size_t k, bool backward);

/// The classes of all other tensors: of the forward and of the backward pass.
inline constexpr const char* kRestClass = "rest";
inline constexpr const char* kRestBackwardClass = "rest-backward";

/// The class of what paging costs.
inline constexpr const char* kPagingClass = "paging";

/// The class of the workspace of computations.
inline constexpr const char* kWorkspaceClass = "soft";

/// The style sheet of pictures with bands, and the patterns that it refers to.
std::string schedule_style_sheet(const Look& look);
void write_schedule_patterns(SvgWriter& svg);

}  // namespace poet::plot
