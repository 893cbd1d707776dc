// Running statistics of batch norms: state beside the parameters, like the moments of an optimizer.

#include "execute/running_statistics.hpp"

#include <cmath>
#include <set>

#include "model/parameters.hpp"

namespace poet {

std::vector<std::size_t> tracked_norms(const TrainingStep& step) {
  std::set<std::size_t> tracked;
  for (const StepNode& node : step.nodes) {
    if (node.sink && node.sink->tracks) {
      tracked.insert(static_cast<std::size_t>(node.sink->parameters));
    }
  }
  return {tracked.begin(), tracked.end()};
}

bool has_statistics(const TrainingStep& step, const TrainingState& state, std::size_t parameters) {
  const std::optional<StepNorm>& norm = step.parameters[parameters].norm;
  return norm && (!norm->is_frozen || state.unfolded.contains(parameters));
}

std::vector<ArrayToWrite> running_statistics(const TrainingStep& step, const TrainingState& state) {
  std::vector<ArrayToWrite> arrays;
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    const StepParameters& norm = step.parameters[p];
    if (!has_statistics(step, state, p)) continue;
    const StatisticsNames names = statistics_names(norm.norm->layer);
    const std::vector<float>& running = state.running[p];
    const auto middle = running.begin() + std::ssize(running) / 2;
    const Shape& channels = norm.tensors.front().shape;
    arrays.push_back({names.mean, channels, std::vector<float>(running.begin(), middle)});
    arrays.push_back({names.variance, channels, std::vector<float>(middle, running.end())});
    arrays.push_back({names.batches, {}, std::vector<std::int64_t>{state.batches[p]}});
  }
  return arrays;
}

const std::vector<float>& stated_parameters(const TrainingState& state, std::size_t parameters) {
  const auto found = state.unfolded.find(parameters);
  return found == state.unfolded.end() ? state.parameters[parameters] : found->second;
}

std::vector<float> folded(const std::vector<float>& parameters, const std::vector<float>& running,
                          double epsilon) {
  const std::size_t channels = parameters.size() / 2;
  std::vector<float> result(parameters.size());
  for (std::size_t c = 0; c < channels; ++c) {
    const double deviation = std::sqrt(double{running[channels + c]} + epsilon);
    const double scale = double{parameters[c]} / deviation;
    result[c] = static_cast<float>(scale);
    result[channels + c] =
        static_cast<float>(double{parameters[channels + c]} - double{running[c]} * scale);
  }
  return result;
}

}  // namespace poet
