#pragma once

#include <string>

#include "poet/solve.hpp"

namespace poet {

/// Why there is no schedule, with the smallest RAM budget that could have one where it is known.
std::string explain(const SolveResult& result);

}  // namespace poet
