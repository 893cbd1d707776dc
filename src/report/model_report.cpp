// What a model comes to before any solve. Sizes need no platform but for the bytes of an element,
// so a stand-in platform gives them, and all that it makes of time and energy is left out again.

#include "report/model_report.hpp"

#include "model/shape.hpp"
#include "poet/problem.hpp"

namespace poet {
namespace {

/// A platform for sizes alone: what it makes of time and energy means nothing.
Platform sizes_only() {
  Platform platform;
  platform.flops_per_second = 1;
  platform.flops_per_joule = 1;
  platform.page_in.bytes_per_second = 1;
  platform.page_out.bytes_per_second = 1;
  platform.element_bytes = kUsualElementBytes;
  return platform;
}

// A reshape makes no node: it takes no time and no memory, so it shows only where its reader is
// listed.
std::vector<Operand> views_of(const ModelNode& node, const Model& model) {
  std::vector<Operand> views;
  for (const Operand& operand : node.operands) {
    if (operand.shape != model.nodes[operand.node].out_shape) views.push_back(operand);
  }
  return views;
}

}  // namespace

std::vector<NodeFigures> node_figures(const Model& model, const Graph& graph) {
  std::vector<NodeFigures> figures;
  figures.reserve(model.nodes.size());
  for (int i = 0; i < graph.size(); ++i) {
    const ModelNode& node = model.nodes[i];
    figures.push_back({.node = i,
                       .name = node.name,
                       .op = node.op,
                       .backward = node.backward,
                       .shape = node.out_shape,
                       .bytes = graph.nodes[i].bytes,
                       .parameter_count = node.parameter_count,
                       .flop = node.flop,
                       .runtime_seconds = graph.nodes[i].runtime_seconds,
                       .energy_joules = graph.nodes[i].energy_joules,
                       .inputs = graph.nodes[i].inputs,
                       .views = views_of(node, model)});
  }
  return figures;
}

ModelReport model_report(const Model& model, const Platform* platform) {
  const bool is_measured = model.backward == Backward::explicit_nodes;
  const bool has_costs = platform != nullptr || is_measured;
  const Platform stand_in = sizes_only();
  // Nothing is paged, so energies of pages may be missing.
  const Graph graph = cost_graph(model, has_costs ? platform : &stand_in, 1, false);
  const Baseline base = baseline(graph);
  const WorkingSet needed = working_set(graph);
  ModelReport report{.model = model_info(model),
                     .baseline_peak_ram_bytes = base.peak_ram_bytes,
                     .working_set_bytes = needed.bytes,
                     .working_set_node = needed.node,
                     .working_set_node_name = graph.nodes[needed.node].name,
                     .working_set_node_op = graph.nodes[needed.node].op,
                     .nodes = node_figures(model, graph)};
  if (platform != nullptr) report.platform = platform_info(*platform);
  if (has_costs) {
    const DeviceMemory memory = device_memory(model, platform);
    if (memory != DeviceMemory()) report.memory = memory;
  }
  if (!is_measured) report.element_bytes = has_costs ? platform->element_bytes : kUsualElementBytes;
  if (has_costs) {
    report.baseline_energy_joules = base.energy_joules;
    report.baseline_runtime_seconds = base.runtime_seconds;
  }
  for (std::size_t k = 0; k < model.nodes.size(); ++k) {
    const std::optional<int> from = model.nodes[k].copy_of;
    if (!from) continue;
    report.copied_tensors.push_back(
        {model.nodes[*from].name, graph.nodes[*from].bytes, graph.nodes[k].bytes});
  }
  for (NodeFigures& node : report.nodes) {
    report.parameter_count = checked_sum({report.parameter_count, node.parameter_count});
    report.flop = checked_sum({report.flop, node.flop});
    if (has_costs) continue;
    node.runtime_seconds.reset();
    node.energy_joules.reset();
  }
  return report;
}

}  // namespace poet
