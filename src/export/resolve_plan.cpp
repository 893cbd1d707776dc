// The last step before text: every operand of every kernel call gets a place and an offset, so that
// a device only adds two numbers. It decides nothing and looks nothing up. All that has to fit the
// runtime's tables is checked here, with the number that is too large in the message. Numbers are
// narrowed through one function, as a product of extents that wraps around would be an address in
// the midst of another tensor.

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "export/device_plan.hpp"
#include "export/resolve_memory.hpp"
#include "model/parameters.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"
#include "step/initial_values.hpp"
#include "step/int8_weights.hpp"

namespace poet {
namespace {

constexpr std::int64_t kRealBytes = 4;

// The runtime's tables have 32 bits, or 16, as a device has no more memory and wants them small.
template <typename Small>
Small fitting(std::int64_t value, std::string_view what) {
  if (value >= 0 && value <= std::int64_t{std::numeric_limits<Small>::max()}) {
    return static_cast<Small>(value);
  }
  throw InputError(
      fmt::format("found {} of {}; expected at most {}, which the tables of the "
                  "runtime can hold",
                  value, what, std::numeric_limits<Small>::max()));
}

std::uint32_t bytes32(Bytes bytes, std::string_view what) {
  return fitting<std::uint32_t>(bytes, what);
}

/// The norms whose running statistics a forward pass reads.
std::set<int> evaluated_norms(const TrainingStep& step) {
  std::set<int> norms;
  for (const StepNode& node : step.nodes) {
    for (const KernelCall& call : node.calls) {
      for (const OperandSource& source : call.in) {
        if (source.kind == OperandSource::Kind::running) norms.insert(source.index);
      }
    }
  }
  return norms;
}

/// Statistics that no training changes are constants.
void add_constant_statistics(const TrainingStep& forward, DevicePlan& plan) {
  for (const int each : evaluated_norms(forward)) {
    DeviceGroup& group = plan.groups[each];
    if (group.running >= 0) continue;
    group.constant_running = plan.constant_count;
    const std::int64_t all =
        std::int64_t{plan.constant_count} + statistics_count(*group.parameters);
    plan.constant_count = fitting<std::int32_t>(all, "constants");
    bytes32(all * kRealBytes, "bytes of constants");
  }
}

class PlanResolver {
 public:
  /// `training`: the plan whose parameters this one reads; a null pointer if it has its own.
  PlanResolver(const TrainingStep& step, const PlacedStep& placed, const DevicePlan* training)
      : step_(step), graph_(placed.graph) {
    if (training != nullptr) {
      take_groups(*training);
    } else {
      add_groups();
      add_statistics();
    }
    plan_.step = &step;
    plan_.arena_bytes = bytes32(placed.arena_bytes, "bytes of RAM");
    plan_.alignment = bytes32(placed.alignment, "bytes of alignment");
    number_inputs();
    const ResolvedProgram program = resolve_memory(placed.graph, placed.program);
    plan_.storage_bytes = bytes32(program.storage_bytes, "bytes of storage");
    for (const ResolvedInstruction& each : program.instructions) add(each);
    if (step.is_forward) find_outputs();
  }

  DevicePlan take() { return std::move(plan_); }

 private:
  /// Three arrays beside the arena: parameters that are trained, constants, which a linker can put
  /// into flash, and gradients that are kept. Moments lie as the trained parameters do; Adam's
  /// second moments follow all first ones.
  void add_groups() {
    std::int64_t trained = 0;
    std::int64_t constant = 0;
    std::int64_t constant_bytes = 0;
    std::int64_t kept = 0;
    const std::int64_t moments = std::ssize(moments_of(step_.optimizer));
    for (const StepParameters& from : step_.parameters) {
      const bool moves = from.is_trained && moments > 0;
      std::int64_t& first = from.is_trained ? trained : constant;
      plan_.groups.push_back({.parameters = &from,
                              .first = fitting<std::int32_t>(first, "parameters"),
                              .moments = moves ? fitting<std::int32_t>(first, "moments") : -1,
                              .tensors = initial_values(from)});
      kept_offset_.push_back(kept * kRealBytes);
      first += from.count;
      if (from.has_int8_weights) {
        const Shape& weight = from.tensors.front().shape;
        plan_.groups.back().bytes = fitting<std::int32_t>(constant_bytes, "constant bytes");
        constant_bytes += element_count(weight);
        first += weight.front() - element_count(weight);
      }
      if (from.is_kept) kept += from.count;
    }
    // Offsets are in bytes, so that the bytes of an array have to fit as well as its count.
    bytes32(trained * kRealBytes, "bytes of parameters");
    bytes32(constant * kRealBytes, "bytes of constants");
    plan_.parameter_count = fitting<std::int32_t>(trained, "parameters");
    plan_.constant_count = fitting<std::int32_t>(constant, "constants");
    plan_.constant_byte_count = fitting<std::int32_t>(constant_bytes, "constant bytes");
    plan_.kept_count = fitting<std::int32_t>(kept, "gradients");
    plan_.moment_count = fitting<std::int32_t>(moments * trained, "moments");
    plan_.second_moments = moments > 1 ? static_cast<std::int32_t>(trained) : 0;
  }

  void take_groups(const DevicePlan& training) {
    plan_.is_second = true;
    plan_.name = training.name;
    plan_.groups = training.groups;
    plan_.constant_count = training.constant_count;
    plan_.constant_byte_count = training.constant_byte_count;
    plan_.running_count = training.running_count;
  }

  /// A tensor is copied when it is there for the first time, as others may take its RAM at once.
  void find_outputs() {
    for (const int node : step_.outputs) {
      const auto found = std::find_if(
          plan_.instructions.begin(), plan_.instructions.end(),
          [&](const auto& each) { return each.op == POET_COMPUTE && each.node == node; });
      if (found == plan_.instructions.end()) throw InternalError("an output is not computed");
      plan_.outputs.push_back(
          {.instruction = static_cast<std::int32_t>(found - plan_.instructions.begin()),
           .node = node,
           .offset = found->offset,
           .bytes = found->bytes});
    }
    for (const Node& node : graph_.nodes) {
      for (const int input : node.inputs) {
        if (step_.nodes[static_cast<std::size_t>(input)].loss >= 0) plan_.reads_losses = true;
      }
    }
  }

  /// Of the norms that train; the statistics of frozen norms are folded into constants.
  void add_statistics() {
    std::set<int> tracked;  // in the order of groups
    for (const StepNode& node : step_.nodes) {
      if (node.sink && node.sink->tracks) tracked.insert(node.sink->parameters);
    }
    std::int64_t all = 0;
    for (const int each : tracked) {
      DeviceGroup& group = plan_.groups[each];
      group.running = fitting<std::int32_t>(all, "running statistics");
      all += statistics_count(*group.parameters);
    }
    plan_.running_count = fitting<std::int32_t>(all, "running statistics");
    if (step_.is_forward) add_constant_statistics(step_, plan_);
  }

  // An instruction has 16 bits for the index of an input or a loss, as most have neither.
  void number_inputs() {
    input_of_.assign(step_.nodes.size(), -1);
    for (std::size_t i = 0; i < step_.inputs.size(); ++i) {
      input_of_[step_.inputs[i].node] =
          fitting<std::int16_t>(static_cast<std::int64_t>(i), "inputs");
    }
    plan_.loss_count = fitting<std::int16_t>(step_.loss_count, "losses");
    fitting<std::uint16_t>(static_cast<std::int64_t>(step_.targets.size()), "targets");
  }

  /// A misaligned offset is an error here and not a fault of the device.
  void add(const ResolvedInstruction& from) {
    if (from.offset % plan_.alignment != 0) {
      throw InputError(fmt::format("instruction {}: found the offset {}; expected a multiple of {}",
                                   from.number, from.offset, plan_.alignment));
    }
    DeviceInstruction made{.number = from.number,
                           .op = from.op,
                           .node = from.node,
                           .offset = static_cast<std::uint32_t>(from.offset),
                           .bytes = static_cast<std::uint32_t>(from.bytes),
                           .from = static_cast<std::uint32_t>(from.from)};
    if (from.op == POET_COMPUTE) compute(from, made);
    plan_.instructions.push_back(std::move(made));
  }

  // A node computes the bytes of its elements; the schedule's bytes are rounded up to its
  // alignment.
  void compute(const ResolvedInstruction& from, DeviceInstruction& made) {
    const auto at = static_cast<std::size_t>(from.node);
    const StepNode& node = step_.nodes[at];
    made.bytes = static_cast<std::uint32_t>(node.bytes);
    made.input = input_of_[at];
    made.loss = node.loss;
    made.writes_tensor = node.writes_tensor && node.bytes > 0;
    fitting<std::uint16_t>(static_cast<std::int64_t>(node.calls.size()), "kernel calls");
    for (const KernelCall& call : node.calls) {
      if (call.in.size() > POET_MOST_OPERANDS) throw InternalError("too many operands");
      DeviceCall resolved{.call = &call, .kernel = call.kernel, .in = {}};
      for (const OperandSource& source : call.in) {
        resolved.in.push_back(place(from, source));
        if (resolved.in.back().place != POET_BYTES) continue;
        resolved.kernel = kernel_of_int8(call.kernel);
        resolved.in.push_back(constant(plan_.groups[source.index].first));
      }
      made.calls.push_back(std::move(resolved));
    }
    if (node.sink) {
      made.sink = sink(from, *node.sink);
      if (node.sink->tracks) made.sink->tracks = node.sink->parameters;
    }
  }

  /// A node can only read what its schedule keeps in RAM for it, which are the inputs that the
  /// graph lists. Any other operand shows an edge that the graph lacks.
  DeviceOperand in_arena(const ResolvedInstruction& at, int node, std::int64_t element) const {
    const std::vector<int>& inputs = graph_.nodes[at.node].inputs;
    const auto found = std::find(inputs.begin(), inputs.end(), node);
    if (found == inputs.end()) {
      throw InternalError(
          fmt::format("node {} reads {}, which is not among its inputs", at.node, node));
    }
    const Bytes offset = at.inputs[found - inputs.begin()];
    return {.place = POET_ARENA,
            .offset = static_cast<std::uint32_t>(offset + element * kRealBytes)};
  }

  DeviceOperand kept(int group) const {
    const Bytes offset = kept_offset_[group];
    return {.place = POET_KEPT, .offset = bytes32(offset, "bytes of gradients")};
  }

  static DeviceOperand constant(std::int64_t element) {
    return {.place = POET_CONSTANTS, .offset = static_cast<std::uint32_t>(element * kRealBytes)};
  }

  /// An element of a layer whose weight is bytes: these, or its biases, which come after the
  /// scales.
  static DeviceOperand in_bytes(const DeviceGroup& group, std::int64_t element) {
    const Shape& weight = group.parameters->tensors.front().shape;
    const std::int64_t bias = element - element_count(weight);
    if (bias >= 0) return constant(group.first + weight.front() + bias);
    return {.place = POET_BYTES, .offset = static_cast<std::uint32_t>(*group.bytes + element)};
  }

  DeviceOperand place(const ResolvedInstruction& at, const OperandSource& source) const {
    switch (source.kind) {
      case OperandSource::Kind::tensor:
        return in_arena(at, source.index, source.offset);
      case OperandSource::Kind::parameters: {
        const DeviceGroup& group = plan_.groups[source.index];
        const std::int64_t element = group.first + source.offset;
        if (group.bytes) return in_bytes(group, source.offset);
        return {.place = group.parameters->is_trained ? POET_PARAMETERS : POET_CONSTANTS,
                .offset = static_cast<std::uint32_t>(element * kRealBytes)};
      }
      case OperandSource::Kind::running: {
        const DeviceGroup& group = plan_.groups[source.index];
        const bool is_tracked = group.running >= 0;
        const std::int64_t element =
            (is_tracked ? group.running : group.constant_running) + source.offset;
        return {.place = is_tracked ? POET_RUNNING : POET_CONSTANTS,
                .offset = static_cast<std::uint32_t>(element * kRealBytes)};
      }
      case OperandSource::Kind::gradient: {
        DeviceOperand operand = kept(source.index);
        operand.offset += static_cast<std::uint32_t>(source.offset * kRealBytes);
        return operand;
      }
      case OperandSource::Kind::target:
        return {.place = POET_TARGET,
                .index = source.index,
                .offset = static_cast<std::uint32_t>(source.offset * kRealBytes)};
      case OperandSource::Kind::one:
        return {.place = POET_ONE};
      case OperandSource::Kind::workspace:
        if (!at.workspace) throw InternalError("a kernel has no workspace");
        return {.place = POET_ARENA, .offset = static_cast<std::uint32_t>(*at.workspace)};
      case OperandSource::Kind::none:
        break;
    }
    return {};
  }

  /// Where a gradient goes: into the node's own tensor, perhaps on top of an earlier sum; into an
  /// array that is kept; or straight into the parameters.
  DeviceSink sink(const ResolvedInstruction& at, const SinkUse& use) const {
    const DeviceOperand own{.place = POET_ARENA, .offset = static_cast<std::uint32_t>(at.offset)};
    switch (use.into) {
      case SinkUse::Into::buffer:
        return {.sum = use.sum >= 0 ? in_arena(at, use.sum, 0) : DeviceOperand{}, .gradient = own};
      case SinkUse::Into::kept:
        return {.sum = use.is_first ? DeviceOperand{} : kept(use.parameters),
                .gradient = kept(use.parameters)};
      case SinkUse::Into::parameters:
        return {.sum = {}, .gradient = {}, .updates = use.parameters};
      case SinkUse::Into::tensor:
        break;
    }
    return {.sum = {}, .gradient = own};
  }

  const TrainingStep& step_;
  const Graph& graph_;
  DevicePlan plan_;
  std::vector<Bytes> kept_offset_;  ///< by group
  std::vector<int> input_of_;       ///< by node: an index into TrainingStep::inputs, or -1
};

}  // namespace

// The name is only for comments, so it is left out of what is resolved.
namespace {

/// Of what is in a saved state: trained parameters by layer and shape, their norms' statistics and
/// the optimizer.
std::uint32_t state_hash(const TrainingStep& step) {
  std::string text{name_of(kind_of(step.optimizer))};
  for (const StepParameters& each : step.parameters) {
    if (!each.is_trained && !each.norm) continue;
    text += fmt::format("\n{} {}", each.name, each.is_trained);
    for (const StepTensor& tensor : each.tensors) text += ' ' + shape_text(tensor.shape);
  }
  return static_cast<std::uint32_t>(std::stoul(sha256_hex(text).substr(0, 8), nullptr, 16));
}

}  // namespace

DevicePlan resolve_plan(const TrainingStep& step, const std::string& name,
                        const PlacedStep& placed) {
  DevicePlan plan = PlanResolver(step, placed, nullptr).take();
  plan.name = name;
  plan.hash = state_hash(step);
  plan.banks = placed.banks;
  plan.kept_banks = placed.kept;
  return plan;
}

// Both are bound from one model, so that the numbers of parameters mean the same.
DevicePlan resolve_second_plan(const TrainingStep& forward, const PlacedStep& placed,
                               DevicePlan& training) {
  if (!placed.banks.empty()) {
    throw InputError(
        "found a forward pass in banks; expected one arena, as 'place --capacity' finds offsets "
        "for");
  }
  const auto is_same = [](const StepParameters& a, const StepParameters& b) {
    return a.name == b.name &&
           std::ranges::equal(a.tensors, b.tensors, {}, &StepTensor::shape, &StepTensor::shape);
  };
  const std::vector<StepParameters>& trained = training.step->parameters;
  if (!std::equal(trained.begin(), trained.end(), forward.parameters.begin(),
                  forward.parameters.end(), is_same)) {
    throw InputError(
        "found other shapes of parameters than the training step has; expected the same");
  }
  add_constant_statistics(forward, training);
  return PlanResolver(forward, placed, &training).take();
}

}  // namespace poet
