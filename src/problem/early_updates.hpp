#pragma once

#include "base/fields.hpp"
#include "poet/order.hpp"

namespace poet {

/// Where the nodes of a recorded step that change parameters are put.
enum class UpdatePlaces { early, as_recorded };

template <>
inline constexpr Names<UpdatePlaces, 2> kNames<UpdatePlaces> = {{
    {UpdatePlaces::early, "early"},
    {UpdatePlaces::as_recorded, "as-recorded"},
}};

/// An order in which parameters change early, and what kept changes back.
struct EarlyUpdates {
  NodeOrder order;        ///< legal
  int change_count = 0;   ///< nodes of the backward pass that change something last
  int waiting_count = 0;  ///< of these: the most that one node holds back
  int awaited = 0;        ///< that node
};

/// Moves each node that changes parameters or state to the earliest place that is legal, together
/// with the nodes that nothing else needs, such as the temporaries of an optimizer. All others keep
/// their relative order.
EarlyUpdates early_updates(const Graph& graph, const Precedence& precedence);

}  // namespace poet
