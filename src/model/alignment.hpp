#pragma once

#include "poet/model.hpp"

namespace poet {

/// A model whose tensors have this alignment, in bytes. Throws InputError unless it is a power of
/// two, and the usual one if the graph is not exact.
Model with_alignment(Model model, Bytes alignment);

}  // namespace poet
