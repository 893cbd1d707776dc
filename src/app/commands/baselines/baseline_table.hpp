#pragma once

#include <string>
#include <vector>

#include "baselines/rows.hpp"

namespace poet::cli {

/// The comparison as a table on stderr, a line each, under a heading.
void print_table(const std::vector<BaselineRow>& rows);

/// `11 rows: 8 feasible, 2 infeasible, 1 not-applicable`
std::string tally(const std::vector<BaselineRow>& rows);

}  // namespace poet::cli
