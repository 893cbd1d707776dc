#pragma once

#include <cstdint>
#include <string>

#include "export/device_plan.hpp"

namespace poet {

/// poet_plan.h: sizes, indices and offsets as macros and enumerators, with the names and shapes of
/// the model in comments.
std::string plan_header(const DevicePlan& plan);

/// poet_plan.c: the plan as constant tables.
std::string plan_source(const DevicePlan& plan);

/// poet_constants.c: the parameters that are not trained, as the seed has them.
std::string constants_source(const DevicePlan& plan, std::uint64_t seed);

}  // namespace poet
