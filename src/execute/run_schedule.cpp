// The scheduled step and the plain step side by side, each with a state of its own. They are
// compared after every step and not at the end only, so that a difference cannot vanish again.
// Equal bits show that the schedule computes what the model states; that the kernels do is compared
// with PyTorch's gradients in tests/golden. A graph that is not the model's is refused before
// anything runs, with the first node that differs: kernels would read tensors which the schedule
// had no reason to keep.

#include "execute/run_schedule.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "base/stopwatch.hpp"
#include "base/text/printable.hpp"
#include "execute/gradient_error.hpp"
#include "execute/running_statistics.hpp"
#include "execute/scheduled_step.hpp"
#include "execute/state_arrays.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"
#include "problem/alignment.hpp"
#include "step/output_over.hpp"

namespace poet {
namespace {

/// NaNs and zeros with signs count as the bits that they are.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

std::string digest(const std::vector<float>& values) {
  return sha256_hex(std::string_view(reinterpret_cast<const char*>(values.data()),
                                     values.size() * sizeof(float)));
}

double sum(const std::vector<float>& losses) {
  double total = 0;
  for (const float loss : losses) total += double{loss};
  return total;
}

/// What kernels read has to be in RAM, which a schedule knows of the inputs of a node alone.
void expect_inputs(const StepNode& step, const Node& node, const Graph& graph) {
  const auto expect = [&](int input) {
    if (std::find(node.inputs.begin(), node.inputs.end(), input) != node.inputs.end()) return;
    const auto at = static_cast<std::size_t>(input);
    throw InputError(fmt::format(
        "the schedule's node '{}' has no input '{}'; expected it, as the kernels of '{}' read it",
        printable(node.name), printable(graph.nodes[at].name), printable(step.op)));
  };
  for (const KernelCall& call : step.calls) {
    for (const OperandSource& source : call.in) {
      if (source.kind == OperandSource::Kind::tensor) expect(source.index);
    }
  }
  if (step.sink && step.sink->sum >= 0) expect(step.sink->sum);
}

}  // namespace

void expect_graph_of(const TrainingStep& step, const Graph& graph, Bytes alignment) {
  if (graph.nodes.size() != step.nodes.size()) {
    throw InputError(fmt::format("the schedule has {} nodes; expected the {} of the model",
                                 graph.nodes.size(), step.nodes.size()));
  }
  for (std::size_t i = 0; i < step.nodes.size(); ++i) {
    const Node& found = graph.nodes[i];
    const StepNode& expected = step.nodes[i];
    if (found.name != expected.name) {
      throw InputError(fmt::format("the schedule's node {} is '{}'; expected '{}' as in the model",
                                   i, printable(found.name), printable(expected.name)));
    }
    // The tensors of a forward pass are not rounded (docs/model-format.md).
    const Bytes bytes = step.is_forward ? expected.bytes : aligned(expected.bytes, alignment);
    if (found.bytes != bytes) {
      throw InputError(fmt::format(
          "the schedule's node '{}' has {} bytes; expected {}, as the kernels compute with float32 "
          "only",
          printable(found.name), found.bytes, bytes));
    }
    if (found.workspace_bytes < expected.tile_bytes) {
      throw InputError(fmt::format(
          "the schedule's node '{}' has {} bytes of workspace; expected {}, for what its kernel "
          "unpacks",
          printable(found.name), found.workspace_bytes, expected.tile_bytes));
    }
    expect_inputs(expected, found, graph);
    if (found.in_place) expect_takes_over(expected, *found.in_place);
  }
}

RunResult run_schedule(TrainingStep step, const Graph& graph, std::span<const Instruction> program,
                       Bytes alignment, const RunSettings& settings, const GivenData& given,
                       std::optional<TrainingStep> exact) {
  expect_graph_of(step, graph, alignment);
  RunResult result{.is_forward = step.is_forward};
  PageFile pages(settings.storage, settings.sync);
  ScheduledStep scheduled(step, graph, program, alignment, settings.check, settings.paging_time,
                          settings.banks);
  TrainingState state = initial_state(step, settings.seed);
  apply(step, given, state);
  if (settings.keep_arrays) state.outputs.resize(static_cast<std::size_t>(step.loss_count));
  TrainingState reference = state;
  for (const StepParameters& parameters : step.parameters) {
    if (!parameters.is_trained) continue;
    result.gradients.push_back({.name = parameters.name, .count = parameters.count, .sha256 = {}});
  }
  for (const int node : step.outputs) {
    const StepNode& from = step.nodes[static_cast<std::size_t>(node)];
    result.outputs.push_back({.name = from.name, .count = element_count(from.shape), .sha256 = {}});
  }
  for (int number = 0; number < settings.steps; ++number) {
    seed_dropout(step, settings.seed, number);
    const Stopwatch scheduled_time;
    scheduled.run(state, pages);
    result.seconds += scheduled_time.elapsed();
    const bool is_last = number + 1 == settings.steps;
    const std::optional<TrainingState> before =
        exact && is_last ? std::optional(reference) : std::nullopt;
    const Stopwatch unscheduled_time;
    compute_unscheduled(step, reference);
    result.unscheduled_seconds += unscheduled_time.elapsed();
    if (before) {
      seed_dropout(*exact, settings.seed, number);
      measure_errors(*exact, *before, state, result.gradients);
    }
    if (step.loss_count > 0) result.losses.push_back(sum(state.losses));
    result.has_equal_losses = result.has_equal_losses && same_bits(state.losses, reference.losses);
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
      OutputResult& output = result.outputs[i];
      output.is_equal = output.is_equal && same_bits(state.results[i], reference.results[i]);
    }
    std::size_t trained = 0;
    for (std::size_t p = 0; p < step.parameters.size(); ++p) {
      if (!step.parameters[p].is_trained) continue;
      GradientResult& gradient = result.gradients[trained++];
      gradient.is_equal =
          gradient.is_equal && same_bits(state.gradients[p], reference.gradients[p]);
      if (is_last) gradient.sha256 = digest(state.gradients[p]);
    }
  }
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    result.outputs[i].sha256 = digest(state.results[i]);
  }
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    result.has_equal_parameters =
        result.has_equal_parameters && same_bits(state.parameters[p], reference.parameters[p]);
  }
  for (const std::size_t p : tracked_norms(step)) {
    result.statistics.push_back({.name = step.parameters[p].norm->layer,
                                 .count = std::ssize(state.running[p]),
                                 .sha256 = digest(state.running[p]),
                                 .is_equal = same_bits(state.running[p], reference.running[p]) &&
                                             state.batches[p] == reference.batches[p]});
  }
  if (settings.keep_arrays) result.arrays = run_arrays(step, state);
  const ExecutionFigures& figures = scheduled.figures();
  result.arena_bytes = figures.arena_bytes;
  result.peak_touched_bytes = figures.peak_touched_bytes;
  result.moved_bytes = figures.moved_bytes;
  result.page_out_bytes = figures.page_out_bytes;
  result.page_in_bytes = figures.page_in_bytes;
  result.op_seconds = figures.op_seconds;
  return result;
}

}  // namespace poet
