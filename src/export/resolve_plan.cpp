// The last step before text: every operand of every kernel call gets a place and an offset, so that
// a device only adds two numbers. It decides nothing and looks nothing up. All that has to fit the
// runtime's tables is checked here, with the number that is too large in the message. Numbers are
// narrowed through one function, as a product of extents that wraps around would be an address in
// the midst of another tensor.

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "export/device_plan.hpp"
#include "export/resolve_memory.hpp"
#include "poet/error.hpp"
#include "step/initial_values.hpp"

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

class PlanResolver {
 public:
  PlanResolver(const TrainingStep& step, const PlacedStep& placed)
      : step_(step), graph_(placed.graph) {
    plan_.step = &step;
    plan_.arena_bytes = bytes32(placed.arena_bytes, "bytes of RAM");
    plan_.alignment = bytes32(placed.alignment, "bytes of alignment");
    add_groups();
    add_statistics();
    number_inputs();
    const ResolvedProgram program = resolve_memory(placed.graph, placed.program);
    plan_.storage_bytes = bytes32(program.storage_bytes, "bytes of storage");
    for (const ResolvedInstruction& each : program.instructions) add(each);
  }

  DevicePlan take() { return std::move(plan_); }

 private:
  /// Three arrays beside the arena: parameters that are trained, constants, which a linker can put
  /// into flash, and gradients that are kept. Moments lie as the trained parameters do; Adam's
  /// second moments follow all first ones.
  void add_groups() {
    std::int64_t trained = 0;
    std::int64_t constant = 0;
    std::int64_t kept = 0;
    const bool has_moments = step_.optimizer != Optimizer::sgd;
    for (const StepParameters& from : step_.parameters) {
      const bool moves = from.is_trained && has_moments;
      std::int64_t& first = from.is_trained ? trained : constant;
      plan_.groups.push_back({.parameters = &from,
                              .first = fitting<std::int32_t>(first, "parameters"),
                              .moments = moves ? fitting<std::int32_t>(first, "moments") : -1,
                              .tensors = initial_values(from)});
      kept_offset_.push_back(kept * kRealBytes);
      first += from.count;
      if (from.is_kept) kept += from.count;
    }
    // Offsets are in bytes, so that the bytes of an array have to fit as well as its count.
    bytes32(trained * kRealBytes, "bytes of parameters");
    bytes32(constant * kRealBytes, "bytes of constants");
    plan_.parameter_count = fitting<std::int32_t>(trained, "parameters");
    plan_.constant_count = fitting<std::int32_t>(constant, "constants");
    plan_.kept_count = fitting<std::int32_t>(kept, "gradients");
    const bool has_second = step_.optimizer == Optimizer::adam;
    const std::int64_t moments = has_moments ? (has_second ? 2 : 1) * trained : 0;
    plan_.moment_count = fitting<std::int32_t>(moments, "moments");
    plan_.second_moments = has_second ? static_cast<std::int32_t>(trained) : 0;
  }

  /// Those of frozen norms are folded into constants.
  void add_statistics() {
    std::set<int> tracked;  // in the order of groups
    for (const StepNode& node : step_.nodes) {
      if (node.sink && node.sink->tracks) tracked.insert(node.sink->parameters);
    }
    std::int64_t all = 0;
    for (const int each : tracked) {
      DeviceGroup& group = plan_.groups[each];
      group.running = fitting<std::int32_t>(all, "running statistics");
      all += group.parameters->count;
    }
    plan_.running_count = fitting<std::int32_t>(all, "running statistics");
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
      DeviceCall resolved{.call = &call, .in = {}};
      for (const OperandSource& source : call.in) resolved.in.push_back(place(from, source));
      made.calls.push_back(std::move(resolved));
    }
    if (node.sink) {
      made.sink = sink(from, *node.sink);
      if (node.sink->tracks) made.sink->tracks = node.sink->parameters;
    }
  }

  /// A node can only read what its schedule keeps in RAM for it, which are the inputs that the
  /// graph lists. An operand that is none of them shows an edge that the graph lacks.
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

  DeviceOperand place(const ResolvedInstruction& at, const OperandSource& source) const {
    switch (source.kind) {
      case OperandSource::Kind::tensor:
        return in_arena(at, source.index, source.offset);
      case OperandSource::Kind::parameters: {
        const DeviceGroup& group = plan_.groups[source.index];
        const std::int64_t element = group.first + source.offset;
        return {.place = group.parameters->is_trained ? POET_PARAMETERS : POET_CONSTANTS,
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

// The name is only for comments, and so it is no part of what is resolved.
DevicePlan resolve_plan(const TrainingStep& step, const std::string& name,
                        const PlacedStep& placed) {
  DevicePlan plan = PlanResolver(step, placed).take();
  plan.name = name;
  return plan;
}

}  // namespace poet
