#pragma once

#include <vector>

#include "baselines/run_baselines.hpp"
#include "poet/plot.hpp"

namespace poet::cli {

/// The rows of a comparison as bars. A method with a schedule that exceeds the budgets has no bar:
/// it answers another question.
std::vector<MethodBar> bars_of(const std::vector<BaselineRow>& rows);

}  // namespace poet::cli
