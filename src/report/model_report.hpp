#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// The size of an element if no platform states one; all built-in platforms have it.
inline constexpr int kUsualElementBytes = 4;

/// A node of a model in figures.
struct NodeFigures {
  int node = 0;
  std::string name;
  std::string op;
  bool backward = false;
  Shape shape;  ///< empty if the costs are measured
  Bytes bytes = 0;
  std::int64_t parameter_count = 0;
  std::int64_t flop = 0;
  std::optional<Seconds> runtime_seconds;  ///< absent without a platform; likewise below
  std::optional<Joules> energy_joules;
  std::vector<int> inputs;
  std::vector<Operand> views{};  ///< inputs that the node's formula reads in another shape
};

/// A tensor of which gradients read a copy.
struct CopiedTensor {
  std::string tensor;
  Bytes bytes = 0;
  Bytes copy_bytes = 0;

  bool operator==(const CopiedTensor&) const = default;
};

/// What a model comes to before any solve.
struct ModelReport {
  ModelInfo model;
  std::optional<PlatformInfo> platform;
  std::optional<int> element_bytes;  ///< absent if the file of the model states all sizes
  std::int64_t parameter_count = 0;
  std::optional<DeviceMemory>
      memory;             ///< beside tensors; absent if costs are not known, or if it is nothing
  std::int64_t flop = 0;  ///< of every node once
  std::optional<Joules> baseline_energy_joules;     ///< absent if costs are not known
  std::optional<Seconds> baseline_runtime_seconds;  ///< likewise
  Bytes baseline_peak_ram_bytes = 0;
  Bytes working_set_bytes = 0;
  int working_set_node = 0;  ///< the node that decides it
  std::string working_set_node_name;
  std::string working_set_node_op;
  std::vector<CopiedTensor> copied_tensors{};  ///< in the order of the nodes
  std::vector<NodeFigures> nodes;
};

/// The nodes of a model and of the graph that cost_graph() makes of it.
std::vector<NodeFigures> node_figures(const Model& model, const Graph& graph);

/// `platform` may be null: the figures are then those that need none. Throws InputError as
/// cost_graph does, and for totals that leave the range of integers.
ModelReport model_report(const Model& model, const Platform* platform);

}  // namespace poet
