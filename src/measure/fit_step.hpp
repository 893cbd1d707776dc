#pragma once

#include <string>
#include <vector>

#include "measure/fit_platform.hpp"
#include "measure/measured_costs.hpp"
#include "measure/profile.hpp"
#include "model/model_spec.hpp"
#include "poet/graph.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"

namespace poet {

/// How well predictions fit what was measured of an op.
struct OpResidual {
  std::string op;
  int node_count = 0;
  Seconds measured_seconds = 0;   ///< of its nodes, each computed once
  Seconds predicted_seconds = 0;  ///< likewise
  double median_error = 0;        ///< of a node: |predicted / measured - 1|
  double largest_error = 0;
  std::string worst_node;  ///< the node with that error
};

/// Compares a graph's costs with measured times, by op; the op that takes most is first. A node
/// that took no time has no error.
std::vector<OpResidual> residuals(const Graph& predicted, const StepTimes& times);

/// All ops together, with the worst node of all; a median of all nodes is not known.
OpResidual total(const std::vector<OpResidual>& ops);

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
/// a time keeps the graph's figures. Energies are times by the powers of the graph. Throws
/// InputError for a graph that is not the model's, an instruction without a time, or times that are
/// all 0.
StepFit fit_step(const StepMeasurement& measurement, const Platform& base);

/// The step as a graph of nodes with measured costs: the names, operands, bytes, workspace and
/// all else that the graph has, the time of each computation, and its energy by the power of
/// `measured.graph`. They stand in the order of the model's list, not of the schedule: the next
/// solve chooses its own order. Transfers have the times of the fitted ones, so the
/// model needs no platform.
ModelSpec measured_model(const MeasuredStep& measured);

}  // namespace poet
