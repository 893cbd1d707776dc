#include "execute/state_arrays.hpp"

#include <algorithm>
#include <utility>

#include "execute/running_statistics.hpp"
#include "model/shape.hpp"
#include "step/step_outputs.hpp"

namespace poet {

std::vector<StateTensor> tensors_of(const TrainingStep& step,
                                    std::vector<std::vector<float>>& groups) {
  std::vector<StateTensor> tensors;
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    std::span<float> rest = groups[p];
    if (rest.empty()) continue;
    for (const StepTensor& tensor : step.parameters[p].tensors) {
      const auto count = static_cast<std::size_t>(element_count(tensor.shape));
      tensors.push_back({&tensor, rest.first(count)});
      rest = rest.subspan(count);
    }
  }
  return tensors;
}

std::vector<ArrayToWrite> arrays_of(const std::vector<StateTensor>& tensors,
                                    const std::string& prefix) {
  std::vector<ArrayToWrite> arrays;
  arrays.reserve(tensors.size());
  for (const auto& [about, values] : tensors) {
    arrays.push_back({.name = prefix + about->name,
                      .shape = about->shape,
                      .values = std::vector<float>(values.begin(), values.end())});
  }
  return arrays;
}

std::vector<ArrayToWrite> parameter_arrays(const TrainingStep& step, const TrainingState& state) {
  std::vector<std::vector<float>> stated;
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    stated.push_back(stated_parameters(state, p));
  }
  std::vector<ArrayToWrite> arrays = arrays_of(tensors_of(step, stated));
  for (ArrayToWrite& array : running_statistics(step, state)) arrays.push_back(std::move(array));
  return arrays;
}

// Two losses may be computed from one tensor: it is there once.
std::vector<ArrayToWrite> output_arrays(const TrainingStep& step, const TrainingState& state) {
  std::vector<ArrayToWrite> arrays;
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const StepNode& from = step.nodes[static_cast<std::size_t>(step.outputs[i])];
    arrays.push_back({.name = from.name, .shape = from.shape, .values = state.results[i]});
  }
  if (step.is_forward) return arrays;
  for (const StepNode& loss : step.nodes) {
    const int node = prediction_of(loss);
    if (node < 0) continue;
    const StepNode& from = step.nodes[static_cast<std::size_t>(node)];
    const bool is_there = std::any_of(arrays.begin(), arrays.end(), [&](const ArrayToWrite& each) {
      return each.name == from.name;
    });
    if (is_there) continue;
    arrays.push_back({.name = from.name,
                      .shape = from.shape,
                      .values = state.outputs.at(static_cast<std::size_t>(loss.loss))});
  }
  return arrays;
}

RunArrays run_arrays(const TrainingStep& step, TrainingState& state) {
  return {.parameters = parameter_arrays(step, state),
          .gradients = arrays_of(tensors_of(step, state.gradients)),
          .outputs = output_arrays(step, state)};
}

}  // namespace poet
