#pragma once

#include <vector>

#include "sweep/rows.hpp"

namespace poet::cli {

/// The results as a table on stderr, a line each, under a heading.
void print_table(const std::vector<SweepRow>& rows);
void print_table(const std::vector<MinRamRow>& rows);

/// `16 points: 15 optimal, 1 infeasible; 6 solves`
std::string tally(const std::vector<SweepRow>& rows);
std::string tally(const std::vector<MinRamRow>& rows);

/// `point 3 failed: its process was killed by signal 9 (Killed)`
std::string failure(const SweepRow& row);
std::string failure(const MinRamRow& row);

}  // namespace poet::cli
