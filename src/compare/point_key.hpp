#pragma once

#include <string>

#include "sweep/rows.hpp"

namespace poet {

/// A point for people: `vgg16_cifar/m4 both 3x 1048576 bytes`.
std::string compared_name(const SweepRow& row);

/// What two points have in common when one can stand for the other.
std::string point_key(const SweepRow& row);

/// The first thing in which the problems of two points differ, their figures included; empty where
/// none does.
std::string problem_difference(const SweepRow& baseline, const SweepRow& fresh);

}  // namespace poet
