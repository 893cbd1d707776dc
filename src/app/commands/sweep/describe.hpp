#pragma once

#include <string>

#include "poet/min_ram.hpp"
#include "poet/sweep.hpp"

namespace poet::cli {

// Short descriptions of points and outcomes, for the progress line and the log.

/// `vgg16_cifar/m4 both 3x 1 MiB`
std::string describe(const SweepGrid& grid, const SweepPoint& point);
/// `smallest RAM of vgg16_cifar/m4 both 3x`
std::string describe(const SweepGrid& grid, const MinRamTask& task);
/// `optimal 550.9 mJ, 0.75 s`
std::string describe(const SweepOutcome& outcome);
/// `1048576 bytes, 0.02 s`
std::string describe(const MinRam& found);

}  // namespace poet::cli
