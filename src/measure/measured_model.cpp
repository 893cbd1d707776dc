#include "measure/measured_model.hpp"

#include "measure/fit_transfer.hpp"

namespace poet {
namespace {

std::vector<InputName> input_names(const std::vector<std::string>& names) {
  std::vector<InputName> result;
  result.reserve(names.size());
  for (const std::string& name : names) result.push_back({.name = name, .place = {}});
  return result;
}

Bytes bytes_of_parameters(const Parameters& parameters) {
  constexpr int kUsualBytes = 4;
  const Bytes bytes = parameters.element_bytes.parameters.value_or(kUsualBytes);
  return parameters.bytes.value_or(parameters.count * bytes);
}

}  // namespace

ModelSpec measured_model(const MeasuredStep& measured) {
  ModelSpec spec{
      .name = measured.model.name, .version = 2, .backward = Backward::explicit_nodes, .place = {}};
  for (const Parameters& each : measured.model.parameters) {
    Parameters stated = each;
    stated.bytes = bytes_of_parameters(each);
    spec.parameters.push_back(std::move(stated));
  }
  const std::vector<double> watts = compute_watts(measured.graph);
  for (std::size_t i = 0; i < measured.graph.nodes.size(); ++i) {
    const Node& node = measured.graph.nodes[i];
    const Seconds seconds = measured.times.compute[i];
    const Seconds in = seconds_of(measured.page_in, bytes_in_storage(node));
    const Seconds out = seconds_of(measured.page_out, bytes_in_storage(node));
    MeasuredSpec to{.place = {}, .name = node.name, .op = node.op, .backward = node.backward};
    for (const int input : node.inputs) {
      to.inputs.push_back({measured.graph.nodes[input].name, {}});
    }
    to.costs = {.bytes = node.bytes,
                .runtime_seconds = seconds,
                .energy_joules = watts[i] * seconds,
                .page_in_energy_joules = in * measured.page_in.power_watts.value_or(0),
                .page_out_energy_joules = out * measured.page_out.power_watts.value_or(0),
                .page_in_seconds = in,
                .page_out_seconds = out};
    if (node.in_place) {
      to.in_place = {measured.graph.nodes[*node.in_place].name, {}};
    }
    to.workspace_bytes = node.workspace_bytes;
    to.recompute = node.recompute;
    to.page = node.page;
    to.reads_parameters = input_names(node.reads_parameters);
    to.writes_parameters = input_names(node.writes_parameters);
    spec.nodes.push_back(std::move(to));
  }
  return spec;
}

}  // namespace poet
