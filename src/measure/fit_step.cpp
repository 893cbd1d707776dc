#include "measure/fit_step.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "measure/fit_platform.hpp"
#include "measure/fit_transfer.hpp"
#include "measure/measured_model.hpp"
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

/// The transfer that fits, with the power that the graph has; that of the graph if none was timed.
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

}  // namespace

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

}  // namespace poet
