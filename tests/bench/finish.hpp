#pragma once

#include <vector>

#include "measure.hpp"
#include "options.hpp"

namespace poet::bench {

/// Compares a run with the best known, prints a line for each kind of graph, and updates the file
/// of --update-best. False, and nothing is written, where something contradicts what is known.
bool finish(const Options& options, const std::vector<Measurement>& measurements);

}  // namespace poet::bench
