#pragma once

#include <vector>

#include "poet/question.hpp"

namespace poet {

/// least_ram() over the orders of a subject in the given order: the smallest RAM budget for which a
/// search finds an order with a schedule. What is proven is about every order: no computation gets
/// by with less than its inputs, its output and its workspace. No budget below `floor_bytes` has a
/// schedule in any order: the caller has proven that.
MinRam least_ram_of_orders(const Subject& given, const Limits& limits, const SolveOptions& options,
                           Bytes floor_bytes = 0, const std::vector<OrderedSchedule>& starts = {});

}  // namespace poet
