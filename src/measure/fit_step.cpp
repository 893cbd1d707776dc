#include "measure/fit_step.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "measure/fit_platform.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

void expect_graph_of_model(const Model& model, const Graph& graph) {
  if (model.nodes.size() != graph.nodes.size()) {
    throw InputError(fmt::format("the schedule has {} nodes; expected the {} of the model",
                                 graph.nodes.size(), model.nodes.size()));
  }
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    if (model.nodes[i].name == graph.nodes[i].name) continue;
    throw InputError(fmt::format("the schedule's node {} is '{}'; expected '{}' as in the model", i,
                                 printable(graph.nodes[i].name), printable(model.nodes[i].name)));
  }
}

/// Sizes follow from the platform as well. If it is not at hand, they may be other ones.
void expect_bytes(const Graph& predicted, const Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (predicted.nodes[i].bytes == graph.nodes[i].bytes) continue;
    throw InputError(fmt::format(
        "the schedule's node '{}' has {} bytes; expected {}, as the model has on the platform",
        printable(graph.nodes[i].name), graph.nodes[i].bytes, predicted.nodes[i].bytes));
  }
}

/// The transfer that fits, with the power that the graph has; the graph's own transfer if none was
/// timed.
Transfer transfer_of(const Graph& graph, Direction direction, std::vector<TransferTime> times,
                     const std::vector<TransferTime>& more, bool& is_measured) {
  times.insert(times.end(), more.begin(), more.end());
  Transfer predicted = predicted_transfer(graph, direction);
  is_measured = std::any_of(times.begin(), times.end(),
                            [](const TransferTime& time) { return time.seconds > 0; });
  if (!is_measured) return predicted;
  Transfer fitted = fit_transfer(times, predicted);
  fitted.power_watts = predicted.power_watts;
  return fitted;
}

Transfer without_scale(Transfer transfer, double scale) {
  if (transfer.power_watts && scale > 0) *transfer.power_watts /= scale;
  return transfer;
}

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

std::vector<OpResidual> residuals(const Graph& predicted, const StepTimes& times) {
  std::map<std::string, OpResidual> by_op;
  std::map<std::string, std::vector<double>> errors;
  for (std::size_t i = 0; i < predicted.nodes.size(); ++i) {
    const Node& node = predicted.nodes[i];
    const Seconds measured = times.compute[i];
    OpResidual& op = by_op[node.op];
    op.op = node.op;
    ++op.node_count;
    op.measured_seconds += measured;
    op.predicted_seconds += node.runtime_seconds;
    if (!(measured > 0)) continue;
    const double error = std::fabs(node.runtime_seconds / measured - 1);
    errors[node.op].push_back(error);
    if (!op.worst_node.empty() && error <= op.largest_error) continue;
    op.largest_error = error;
    op.worst_node = node.name;
  }
  std::vector<OpResidual> all;
  for (auto& [name, op] : by_op) {
    if (!errors[name].empty()) op.median_error = median(errors[name]);
    all.push_back(std::move(op));
  }
  std::ranges::stable_sort(all, std::greater{}, &OpResidual::measured_seconds);
  return all;
}

OpResidual total(const std::vector<OpResidual>& ops) {
  OpResidual sum{.op = "all", .worst_node = {}};
  for (const OpResidual& op : ops) {
    sum.node_count += op.node_count;
    sum.measured_seconds += op.measured_seconds;
    sum.predicted_seconds += op.predicted_seconds;
    if (!sum.worst_node.empty() && op.largest_error <= sum.largest_error) continue;
    sum.largest_error = op.largest_error;
    sum.worst_node = op.worst_node;
  }
  return sum;
}

StepFit fit_step(const StepMeasurement& measurement, const Platform& base) {
  const Graph& graph = measurement.graph;
  expect_graph_of_model(measurement.model, graph);
  const StepTimes times = step_times(graph, measurement.program, measurement.times);
  StepFit fit;
  MeasuredStep step{.model = measurement.model,
                    .graph = graph,
                    .times = times,
                    .page_in = transfer_of(graph, Direction::in, times.page_in,
                                           measurement.page_times.in, fit.has_page_in),
                    .page_out = transfer_of(graph, Direction::out, times.page_out,
                                            measurement.page_times.out, fit.has_page_out)};
  fit.model = measured_model(step);
  step.page_in = without_scale(step.page_in, measurement.mem_power_scale);
  step.page_out = without_scale(step.page_out, measurement.mem_power_scale);
  fit.platform = fit_platform(step, base);
  const Graph predicted = cost_graph(measurement.model, &fit.platform);
  expect_bytes(predicted, graph);
  fit.residuals = residuals(predicted, times);
  return fit;
}

ModelSpec measured_model(const MeasuredStep& measured) {
  ModelSpec spec{
      .name = measured.model.name, .version = 2, .backward = Backward::explicit_nodes, .place = {}};
  for (const Parameters& each : measured.model.parameters) {
    Parameters stated = each;
    stated.bytes = bytes_of_parameters(each);
    spec.parameters.push_back(std::move(stated));
  }
  const std::vector<int> place = places_of(measured.model.order);
  const Graph graph = place.empty() ? measured.graph : permuted(measured.graph, place);
  const std::vector<double> watts = compute_watts(graph);
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.nodes[i];
    const Seconds seconds = measured.times.compute[place.empty() ? i : place[i]];
    const Seconds in = seconds_of(measured.page_in, bytes_in_storage(node));
    const Seconds out = seconds_of(measured.page_out, bytes_in_storage(node));
    MeasuredSpec to{.place = {}, .name = node.name, .op = node.op, .backward = node.backward};
    for (const int input : node.inputs) {
      to.inputs.push_back({graph.nodes[input].name, {}});
    }
    to.costs = {.bytes = node.bytes,
                .runtime_seconds = seconds,
                .energy_joules = watts[i] * seconds,
                .page_in_energy_joules = in * measured.page_in.power_watts.value_or(0),
                .page_out_energy_joules = out * measured.page_out.power_watts.value_or(0),
                .page_in_seconds = in,
                .page_out_seconds = out};
    if (node.in_place) {
      to.in_place = {graph.nodes[*node.in_place].name, {}};
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
