#pragma once

#include <string>
#include <vector>

#include "measure.hpp"

namespace poet::bench {

/// How many points were settled and how fast, how far the others are from a proof, how good the
/// schedules are, and what the solves took of time and memory.
std::string summary(const std::vector<Measurement>& measurements);

}  // namespace poet::bench
