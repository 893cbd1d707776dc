#pragma once

#include "step/layer_node.hpp"

namespace poet {

/// The kernel calls of a node that a layer makes. Throws InputError, without a place, if its op has
/// no kernel.
Calls bind_layer(const LayerNode& node);

}  // namespace poet
