#pragma once

#include "poet/model.hpp"

namespace poet {

/// Appends POET's backward pass to a model of forward layers L_0 .. L_{F-1} (input first, loss
/// last): for n = F-1 down to 1 a node `gradient` with the shape of L_n and twice the FLOPs of
/// L_{n-1}, which reads L_{n-1}, L_n and the gradient before it. It is a chain in list order:
/// gradients of skip connections do not follow the branches (POET's release; ICML 2022).
/// Throws InputError where a FLOP count overflows or the nodes become more than kMaxNodes.
void append_poet_chain(Model& model);

}  // namespace poet
