#pragma once

#include <string>
#include <vector>

#include "best_known.hpp"

namespace poet::bench {

/// Reads what is best known: one JSON object on a line for each problem, SI units. A file that is
/// missing knows nothing. Throws InputError with file and line for anything else, for a problem
/// that comes twice, and for a bound above the energy of the same line.
BestKnown read_best_known(const std::string& path);

/// The text of such a file, sorted by problem.
std::string best_known_text(const BestKnown& known);

/// Puts what is better into the file, as improve() does, whole or not at all. With a fault it stays
/// as it was. Throws InputError where it cannot be read or written.
BestUpdate update_best_known(const std::string& path, const std::vector<Measurement>& measurements,
                             const std::string& from);

}  // namespace poet::bench
