#pragma once

#include "app/options.hpp"
#include "poet/plot.hpp"

namespace poet::cli {

/// Reads how a picture is to be drawn. Throws InputError, naming the option, for a width that is
/// none.
PictureOptions picture_options(const PlotArguments& arguments);

}  // namespace poet::cli
