#pragma once

#include <vector>

#include "measure/measured_costs.hpp"
#include "measure/profile.hpp"
#include "measure/residuals.hpp"
#include "model/model_spec.hpp"
#include "poet/graph.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"

namespace poet {

/// What was measured, and what it is to be a model of.
struct StepMeasurement {
  const Model& model;  ///< of layers, with FLOPs
  const Graph& graph;  ///< of a schedule: with the costs that a platform predicted
  std::span<const Instruction> program;
  const InstructionTimes& times;
  PageTimes page_times{};      ///< measured besides
  double mem_power_scale = 1;  ///< with which the graph got its energies
};

/// A measured step as inputs of the next solve.
struct StepFit {
  ModelSpec model;
  Platform platform;
  std::vector<OpResidual> residuals;  ///< of the platform
  bool has_page_in = false;           ///< transfers were measured, and not taken from the graph
  bool has_page_out = false;
};

/// Fits a model of measured nodes and a platform to a measured step. A direction of paging without
/// a time keeps what the graph says. Energies are times by the powers of the graph. Throws
/// InputError for a graph that is not the model's, an instruction without a time, or times that are
/// all 0.
StepFit fit_step(const StepMeasurement& measurement, const Platform& base);

}  // namespace poet
