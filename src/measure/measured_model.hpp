#pragma once

#include "measure/fit_platform.hpp"
#include "model/model_spec.hpp"

namespace poet {

/// The step as a graph of nodes with measured costs: the names, operands, bytes, workspace and
/// whatever else the graph has, the time of each computation, and its energy by the power of
/// `measured.graph`. Transfers have the times of the fitted ones, so the model needs no platform.
ModelSpec measured_model(const MeasuredStep& measured);

}  // namespace poet
