#pragma once

#include "model/model_spec.hpp"
#include "poet/model.hpp"

namespace poet {

// One function per value of Backward that makes nodes out of POET's forward layers, in a header and
// a source of its own. A new kind is a value there, a word in the table of names, a function here
// and a case in build_model.cpp. Backward::exact counts the forward pass in another way as well and
// has a folder of its own, src/model/exact. Backward::none and Backward::explicit_nodes need
// nothing: such a model is complete as it was written.
//
// All of them append to a model of forward layers L_0 .. L_{F-1} (the input first, the loss last),
// and throw InputError if a FLOP count overflows or the nodes become more than kMaxNodes.

/// Appends the backward pass of POET's release (ICML 2022): for n = F-1 down to 1 a node
/// `gradient` with the shape of L_n and twice the FLOPs of L_{n-1}, which reads L_{n-1}, L_n and
/// the gradient before it. It is a chain in list order, also beside skip connections.
void append_poet_chain(Model& model);

/// Throws InputError for a model whose backward pass is to be POET's but which POET's counts do not
/// cover.
void expect_known_backward(const ModelSpec& spec);

}  // namespace poet
