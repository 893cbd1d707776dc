#pragma once

#include <string>

#include "poet/model.hpp"

namespace poet {

/// Names the tensor with several users that makes POET's backward chain no training step; empty if
/// the model has none, or another backward pass.
std::string chain_note(const Model& model);

}  // namespace poet
