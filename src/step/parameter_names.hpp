#pragma once

#include <string>
#include <vector>

#include "model/exact/draft.hpp"

namespace poet {

/// What PyTorch calls the tensors of a layer's parameters, in the order in which they lie in
/// memory: `conv1.weight` and `conv1.bias`, gamma and beta of a normalisation likewise;
/// `cell.weight_ih` and `cell.bias_ih` of the input of an lstm or gru, `cell.weight_hh` and
/// `cell.bias_hh` of its state. A learned tensor has the name of its layer.
std::vector<std::string> parameter_names(const DraftLayer& owner, const DraftParameters& from);

}  // namespace poet
