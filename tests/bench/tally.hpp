#pragma once

#include <string>
#include <vector>

#include "measure.hpp"

namespace poet::bench {

/// The heading of the table, two lines.
std::string table_heading();

/// One instance as a row of the table.
std::string table_row(const Measurement& measurement);

/// One instance as a JSON object on one line, SI units, keys named as in the schedule file.
std::string json_line(const Measurement& measurement);

/// How many points were settled and how fast, and how far the others are from a proof.
std::string summary(const std::vector<Measurement>& measurements);

}  // namespace poet::bench
