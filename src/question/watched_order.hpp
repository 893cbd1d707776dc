#pragma once

#include <functional>
#include <string>

#include "solver/order/order_search.hpp"

namespace poet {

/// search_order() or what stands for it.
using OrderFunction =
    std::function<FoundOrder(const Problem&, const Precedence&, const OrderSearchOptions&)>;

struct WatchedOrder {
  FoundOrder found;
  std::string failure;  ///< why it is no more than what was reported, in words; else empty
};

/// Runs `work` in a child, as solve_watched() a solve. If the child crashes, or goes on for
/// kWatchGrace after its time or a stop, the result is the best order that it had reported.
WatchedOrder search_order_watched(const Problem& problem, const Precedence& precedence,
                                  const OrderSearchOptions& options, const OrderFunction& work);

}  // namespace poet
