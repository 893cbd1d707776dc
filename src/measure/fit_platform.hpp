#pragma once

#include "measure/measured_costs.hpp"
#include "poet/graph.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"

namespace poet {

/// A measured step, and what it is a step of.
struct MeasuredStep {
  const Model& model;  ///< of layers, with FLOPs
  const Graph& graph;  ///< with the costs that a platform predicted
  const StepTimes& times;
  Transfer page_in;   ///< fitted, with a power
  Transfer page_out;  ///< likewise
};

/// The platform that fits measured times best, within what a platform file can say:
///
///   rate of an op = FLOPs of its nodes / their seconds, so that the time of all its nodes together
///                   is exact; least squares with the weight 1 / FLOPs
///   RAM bandwidth = bytes / seconds of the nodes without FLOPs, but no less than any other node
///                   needs: the time to move bytes is a lower limit of each computation
///   FLOP/J        = rate / power, with the power of `measured.graph`
///
/// What was not measured (sizes, wear, where parameters are) is that of `base`. Throws InputError
/// if no node took any time.
Platform fit_platform(const MeasuredStep& measured, const Platform& base);

}  // namespace poet
