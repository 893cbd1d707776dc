// One node by its kernels, wherever its tensors are: callers say that by a function. So a scheduled
// step and a step with memory to spare run the same code, and a difference between their results
// can only come from the schedule, its offsets or its copies.
//
// An optimizer that updates at once leaves no gradient to compare, and a node must not get a buffer
// for it that the device has not. The sink lets a function see each complete gradient on its way to
// the parameters, and that function notes it in memory beside the arena.

#include "execute/compute.hpp"

#include <poet_seed.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "model/parameters.hpp"
#include "model/shape.hpp"
#include "step/initial_values.hpp"
#include "step/step_outputs.hpp"

namespace poet {
namespace {

constexpr float kOne = 1;

/// Finds what the kernels of one node are given.
class NodeCall {
 public:
  NodeCall(const StepNode& node, const TensorAt& tensor_at, std::byte* tile, TrainingState& state)
      : node_(node), tensor_at_(tensor_at), tile_(tile), state_(state) {}

  void run(std::byte* out) {
    poet_sink sink{};
    if (node_.sink) sink = sink_of(*node_.sink, out);
    for (const KernelCall& call : node_.calls) {
      in_.clear();
      for (const OperandSource& source : call.in) in_.push_back(address(source));
      call.kernel.call(address_of(call.spec), in_.data(), node_.writes_tensor ? out : nullptr,
                       node_.sink ? &sink : nullptr);
    }
  }

 private:
  const void* address(const OperandSource& source) const {
    const auto at = static_cast<std::size_t>(source.index);
    switch (source.kind) {
      case OperandSource::Kind::tensor:
        return reinterpret_cast<const float*>(tensor_at_(source.index)) + source.offset;
      case OperandSource::Kind::parameters:
        return state_.parameters[at].data() + source.offset;
      case OperandSource::Kind::running:
        return state_.running[at].data() + source.offset;
      case OperandSource::Kind::gradient:
        return state_.kept[at].data() + source.offset;
      case OperandSource::Kind::target:
        return state_.targets[at].data() + source.offset;
      case OperandSource::Kind::one:
        return &kOne;
      case OperandSource::Kind::workspace:
        return tile_;
      case OperandSource::Kind::none:
        break;
    }
    return nullptr;
  }

  poet_sink sink_of(const SinkUse& use, std::byte* out) {
    poet_sink sink{};
    const auto at = static_cast<std::size_t>(use.parameters);
    if (use.tracks) {
      sink.running = state_.running[at].data();
      ++state_.batches[at];
    }
    switch (use.into) {
      case SinkUse::Into::buffer:
        if (use.sum >= 0) sink.sum = reinterpret_cast<const float*>(tensor_at_(use.sum));
        [[fallthrough]];
      case SinkUse::Into::tensor:
        sink.gradient = reinterpret_cast<float*>(out);
        break;
      case SinkUse::Into::kept:
        sink.gradient = state_.kept[at].data();
        if (!use.is_first) sink.sum = sink.gradient;
        break;
      case SinkUse::Into::parameters:
        sink.optimizer = &state_.optimizer;
        sink.parameters = state_.parameters[at].data();
        sink.first = state_.first[at].data();
        sink.second = state_.second[at].data();
        sink.observe = [](void* context, std::int32_t index, float gradient) {
          static_cast<float*>(context)[index] = gradient;
        };
        sink.context = state_.gradients[at].data();
        break;
    }
    return sink;
  }

  const StepNode& node_;
  const TensorAt& tensor_at_;
  std::byte* tile_;
  TrainingState& state_;
  std::vector<const void*> in_;
};

std::vector<std::uint32_t> data(const StepData& wanted, poet_random random) {
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(wanted.count));
  poet_fill_data(&random, static_cast<std::int32_t>(wanted.count), runtime_limit(wanted),
                 bits.data());
  return bits;
}

}  // namespace

TrainingState initial_state(const TrainingStep& step, std::uint64_t seed) {
  TrainingState state{.optimizer = poet_usual_optimizer(kind_of(step.optimizer))};
  const auto random = [&](poet_stream stream, std::size_t tensor) {
    return poet_random_of(seed, stream, static_cast<std::uint32_t>(tensor));
  };
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    const StepParameters& from = step.parameters[p];
    const auto count = static_cast<std::size_t>(from.count);
    const std::size_t moments = from.is_trained ? moments_of(step.optimizer).size() : 0;
    state.parameters.push_back(initial_parameters(from, seed, p));
    state.first.emplace_back(moments > 0 ? count : 0);
    state.second.emplace_back(moments > 1 ? count : 0);
    state.kept.emplace_back(from.is_kept ? count : 0);
    state.gradients.emplace_back(from.is_trained ? count : 0);
    state.running.push_back(from.norm ? initial_statistics(from) : std::vector<float>());
    state.batches.push_back(0);
  }
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    state.inputs.push_back(data(step.inputs[i], random(POET_STREAM_INPUTS, i)));
  }
  for (std::size_t i = 0; i < step.targets.size(); ++i) {
    state.targets.push_back(data(step.targets[i], random(POET_STREAM_TARGETS, i)));
  }
  state.losses.resize(step.loss_count);
  state.results.resize(step.outputs.size());
  return state;
}

// A gradient that no kernel gave would be a NaN: it shows in every comparison with what was there.
// The decays may advance already, as kernels read the rate only and a step here ends or throws.
void begin_step(TrainingState& state) {
  poet_begin_step(&state.optimizer);
  poet_end_step(&state.optimizer);
  for (std::vector<float>& gradient : state.gradients) {
    std::fill(gradient.begin(), gradient.end(), std::numeric_limits<float>::quiet_NaN());
  }
}

void compute(const TrainingStep& step, int node, const TensorAt& tensor_at, std::byte* tile,
             TrainingState& state) {
  const StepNode& about = step.nodes[node];
  std::byte* const out = about.bytes > 0 ? tensor_at(node) : nullptr;
  for (std::size_t i = 0; out != nullptr && i < step.inputs.size(); ++i) {
    if (step.inputs[i].node != node) continue;
    std::memcpy(out, state.inputs[i].data(), static_cast<std::size_t>(about.bytes));
  }
  if (const int seen = prediction_of(about); seen >= 0 && !state.outputs.empty()) {
    const auto* const first = reinterpret_cast<const float*>(tensor_at(seen));
    std::vector<float>& kept = state.outputs[static_cast<std::size_t>(about.loss)];
    kept.assign(first, first + element_count(step.nodes[static_cast<std::size_t>(seen)].shape));
  }
  NodeCall(about, tensor_at, tile, state).run(out);
  if (out != nullptr && about.loss >= 0) {
    std::memcpy(&state.losses[about.loss], out, sizeof(float));
  }
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] != node) continue;
    const auto* const first = reinterpret_cast<const float*>(out);
    state.results[i].assign(first, first + element_count(about.shape));
  }
}

// Nothing is freed before the end: the sum of all tensors is in memory, which a host has.
void compute_unscheduled(const TrainingStep& step, TrainingState& state) {
  std::vector<std::unique_ptr<std::byte[]>> tensors;
  const TensorAt tensor_at = [&](int node) { return tensors[node].get(); };
  begin_step(state);
  for (std::size_t node = 0; node < step.nodes.size(); ++node) {
    const auto bytes = static_cast<std::size_t>(step.nodes[node].bytes);
    tensors.push_back(std::make_unique<std::byte[]>(bytes));
    const auto tile =
        std::make_unique<std::byte[]>(static_cast<std::size_t>(step.nodes[node].tile_bytes));
    compute(step, static_cast<int>(node), tensor_at, tile.get(), state);
  }
}

}  // namespace poet
