// From the draft of an exact graph, which knows how each node came about, to kernel calls. A graph
// has no strides, paddings or axes, and must not get them, as nothing that is solved depends on
// them. So the draft keeps for each node its layer, the step of the layer's backward pass and the
// operands of its formula, and this file reads nothing else. What the kernels cannot do is refused
// here, with the layer's name, before anything runs: other element types, gradients of learned
// tensors through kernels without a sink, and outputs over inputs that a kernel still reads.

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <poet_seed.h>

#include "base/input_errors.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "model/exact/gradient_plan.hpp"
#include "model/parameters.hpp"
#include "step/kernels.hpp"
#include "step/layer_node.hpp"
#include "step/norm_statistics.hpp"
#include "step/output_over.hpp"
#include "step/step_outputs.hpp"

namespace poet {
namespace {

using Kind = OperandSource::Kind;

constexpr int kElementBytes = 4;

/// The op's tensors in this group of the layer, with their extents.
std::vector<StepTensor> tensors_of(const DraftLayer& owner, int parameters,
                                   const std::vector<Shape>& shapes) {
  const auto own = std::find(owner.parameters.begin(), owner.parameters.end(), parameters);
  const auto group = own - owner.parameters.begin();
  std::vector<StepTensor> tensors;
  std::map<int, int> seen;  // by the op's group
  for (const LayerTensor& each : tensors_of_op(owner.spec->op)) {
    const auto place = find_tensor(owner.exact, {each.group, seen[each.group]++});
    if (!place || place->group != group) continue;
    tensors.push_back({tensor_name(owner.spec->name, each), shapes[place->tensor], each.center});
  }
  if (tensors.size() == shapes.size()) return tensors;
  throw InternalError(
      fmt::format("{} has tensors that model/parameters.cpp does not name", owner.spec->op));
}

bool reads_indices(std::string_view op) {
  return op == "embedding" || op.starts_with("cross_entropy");
}

class StepBinder {
 public:
  StepBinder(const ModelSpec& spec, const Draft& draft) : spec_(spec), draft_(draft) {
    step_.is_forward = spec.backward == Backward::none;
    step_.update = spec.update;
    step_.optimizer = spec.optimizer;
    if (!step_.is_forward) step_.copies = spec.copies;
  }

  /// Parameters first, then data, then nodes in the order of the model's list: everything is
  /// numbered by that list. A node whose formula reads the number 1 begins the backward pass, so
  /// its layer counts as a loss.
  TrainingStep bind() {
    for (std::size_t p = 0; p < draft_.parameters.size(); ++p) add_parameters(static_cast<int>(p));
    for (std::size_t l = 0; l < draft_.layers.size(); ++l) {
      in_layer(draft_.layers[l], [&] {
        expect_no_difference(*draft_.layers[l].spec);
        find_data(static_cast<int>(l));
      });
    }
    for (const NodeFormula& formula : draft_.formulas) {
      for (const FormulaOperand& operand : formula.operands) {
        if (operand.kind == FormulaOperand::Kind::one) roots_.insert(formula.layer);
      }
    }
    for (std::size_t i = 0; i < draft_.model.nodes.size(); ++i) add_node(static_cast<int>(i));
    order_statistics(step_);
    if (step_.is_forward) step_.outputs = outputs_of(step_);
    return std::move(step_);
  }

 private:
  template <typename Work>
  static void in_layer(const DraftLayer& layer, Work&& work) {
    with_place(
        fmt::format("layer '{}' ({})", printable(layer.spec->name), printable(layer.spec->op)),
        work);
  }

  // A size that the model leaves to the platform passes here, and expect_graph_of() compares the
  // bytes.
  void add_parameters(int index) {
    const DraftParameters& from = draft_.parameters[index];
    const DraftLayer& owner = draft_.layers[from.owner];
    in_layer(owner, [&] {
      for (const std::optional<int>& bytes :
           {from.element_bytes.parameters, from.element_bytes.gradients}) {
        expect_float(bytes.value_or(kElementBytes));
      }
    });
    std::int64_t count = 0;
    for (const Shape& shape : from.shapes) count += count_of(shape);
    step_.parameters.push_back({.name = from.name,
                                .tensors = tensors_of(owner, index, from.shapes),
                                .count = count,
                                .is_trained = from.is_trained,
                                .is_kept = from.is_trained && is_kept(),
                                .norm = batch_norm_of(draft_, index),
                                .value = value_of(owner),
                                .has_int8_weights = from.has_int8_weights});
  }

  static std::optional<float> value_of(const DraftLayer& owner) {
    if (!owner.exact.is_parameter) return std::nullopt;
    const Attribute& value = owner.spec->attributes.at("value");
    if (value.height == 0) return std::nullopt;
    return static_cast<float>(value.number);
  }

  bool is_kept() const { return spec_.update == Update::accumulate; }

  static void expect_float(std::int64_t bytes) {
    if (bytes == kElementBytes) return;
    throw InputError(
        fmt::format("found elements of {}; expected 4: the kernels compute with float32 only",
                    counted(bytes, "byte")));
  }

  static void expect_no_difference(const LayerSpec& layer) {
    if (layer.differs.empty()) return;
    throw InputError(
        fmt::format("the network that it was imported from differs from what the kernels compute: "
                    "{}; expected a layer without \"differs\": change the network, or take the "
                    "key out of the model file to compute the layer as it is there",
                    printable(layer.differs)));
  }

  /// Which inputs hold indices, and what a loss is compared with that names no target.
  void find_data(int l) {
    const DraftLayer& layer = draft_.layers[l];
    const std::string& op = layer.spec->op;
    const bool is_loss = layer.exact.is_loss;
    if (!is_loss && op != "embedding") return;
    const Shape& x = layer.inputs.front().shape;
    const std::int64_t limit =
        op == "embedding" ? layer.spec->attributes.at("vocabulary").height : x.back();
    if (is_loss && layer.inputs.size() == 1) {
      const bool has_indices = reads_indices(op);
      Shape shape = x;
      if (has_indices) shape.pop_back();
      target_of_layer_[l] = static_cast<int>(step_.targets.size());
      step_.targets.push_back({.name = layer.spec->name,
                               .shape = shape,
                               .count = count_of(shape),
                               .index_limit = has_indices ? limit : 0});
    } else if (reads_indices(op)) {
      add_index_limit(layer.inputs[is_loss ? 1 : 0].node, limit);
    }
  }

  bool is_zeros(const std::string& input) const {
    return std::any_of(spec_.inputs.begin(), spec_.inputs.end(),
                       [&](const InputSpec& each) { return each.name == input && each.zeros; });
  }

  void add_index_limit(int node, std::int64_t limit) {
    if (node < 0 || draft_.model.nodes[node].op != "input") {
      throw InputError("found indices that the model computes; expected indices from an input");
    }
    std::int64_t& least = index_limits_.emplace(node, limit).first->second;
    least = std::min(least, limit);
  }

  void add_node(int index) {
    const ModelNode& from = draft_.model.nodes[index];
    const NodeFormula& formula = draft_.formulas[index];
    StepNode node{.name = from.name, .op = from.op, .shape = from.out_shape};
    if (from.copy_of) {
      bind_copy(from, formula, node);
    } else if (formula.layer >= 0) {
      in_layer(draft_.layers[formula.layer], [&] { bind_node(from, formula, node); });
    } else {
      bind_without_layer(index, from, formula, node);
    }
    if (node.sink) expect_trained(node.name, node.sink->parameters);
    step_.nodes.push_back(std::move(node));
  }

  /// A device has what is not trained in flash: no node may write it.
  void expect_trained(const std::string& node, int parameters) const {
    if (parameters < 0 || step_.parameters[parameters].is_trained) return;
    throw InternalError(
        fmt::format("'{}' has the gradient of parameters that are not trained", node));
  }

  void bind_node(const ModelNode& from, const NodeFormula& formula, StepNode& node) {
    const auto target = target_of_layer_.find(formula.layer);
    const LayerNode layer_node(
        draft_, formula, target == target_of_layer_.end() ? -1 : target->second, step_.is_forward);
    node.calls = bind_layer(layer_node);
    const DraftLayer& layer = draft_.layers[formula.layer];
    node.bytes = bytes_of(from, formula);
    if (node.calls.front().kernel.has_tile) node.tile_bytes = from.workspace_bytes;
    const bool is_loss = layer.exact.is_loss || roots_.contains(formula.layer);
    if (is_loss && formula.output >= 0 && node.bytes > 0) {
      node.loss = step_.loss_count++;
      node.compares = layer.exact.is_loss;
    }
    find_sink(formula, node);
    const bool is_norm = node.sink && is_batch_norm(*layer.spec);
    if (is_norm) node.sink->tracks = node.sink->parameters == layer.parameters.front();
    expect_operands(node);
    if (from.in_place) expect_takes_over(node, *from.in_place);
  }

  /// Bits are of a rectifier, whose gradient passes where its output is above 0, and below 6.
  void bind_copy(const ModelNode& from, const NodeFormula& formula, StepNode& node) const {
    const Shape& shape = formula.operands.front().shape;
    const std::vector<OperandSource> tensor{{Kind::tensor, *from.copy_of, 0}};
    node.bytes = *from.bytes;
    node.writes_tensor = true;
    if (from.op == "copy_int8") {
      node.calls = {call(kKernelOf<poet_copy_int8>, copy_spec(shape, formula.keeps_sign), tensor)};
      return;
    }
    const poet_map_spec map{.count = count_of(shape), .slope = 0};
    const bool has_end = draft_.layers[formula.layer].spec->op == "relu6";
    node.calls = {
        call(has_end ? kKernelOf<poet_relu6_bits> : kKernelOf<poet_relu_bits>, map, tensor)};
  }

  /// Throws for another element type. The index of a maximum has a size of its own.
  /// The graph may have rounded a tensor up to its alignment; kernels write the elements and
  /// nothing behind them.
  Bytes bytes_of(const ModelNode& from, const NodeFormula& formula) const {
    if (formula.parameters >= 0 && !has_buffer(draft_, formula.parameters, spec_.update)) return 0;
    if (is_index_of_maximum(from.op)) return *from.bytes;
    const Bytes bytes = Bytes{count_of(from.out_shape)} * kElementBytes;
    if (from.bytes && bytes > 0) expect_float(*from.bytes / count_of(from.out_shape));
    return bytes;
  }

  /// The three kinds of updates of a model file. Fused updates apply a gradient while it is made,
  /// buffered ones give it a tensor of the schedule, accumulated ones add it to an array that
  /// outlives all nodes.
  SinkUse sink_of(int parameters, bool may_have_buffer, int sum) {
    if (may_have_buffer && has_buffer(draft_, parameters, spec_.update)) {
      return {.into = SinkUse::Into::buffer, .parameters = parameters, .sum = sum};
    }
    if (!is_kept()) return {.into = SinkUse::Into::parameters, .parameters = parameters};
    return {.into = SinkUse::Into::kept,
            .parameters = parameters,
            .is_first = begun_.insert(parameters).second};
  }

  /// A normalisation has an output and a sink: the gradients of its input and of its parameters.
  void find_sink(const NodeFormula& formula, StepNode& node) {
    const Kernel& kernel = node.calls.front().kernel;
    const bool is_tensor = formula.parameters < 0;
    node.writes_tensor = kernel.has_output && is_tensor;
    if (!is_tensor) {
      node.sink = sink_of(formula.parameters, true, formula.sum);
      const bool is_plain = node.sink->into == SinkUse::Into::buffer && formula.sum < 0;
      if (kernel.has_output && !kernel.has_sink && is_plain) {
        node.writes_tensor = true;
        node.sink.reset();
      } else if (!kernel.has_sink) {
        throw InputError(
            "there is no kernel that applies the gradient of a learned tensor here; expected "
            "\"update\": \"buffered\" and a tensor that one layer reads");
      }
      if (kernel.has_output && kernel.has_sink && is_of_input(formula)) {
        throw InputError("there is no kernel for the normalisation of a learned tensor");
      }
    } else if (kernel.has_sink) {
      if (formula.also >= 0) node.sink = sink_of(formula.also, false, -1);
      if (!kernel.has_output) node.sink = SinkUse{};
    }
  }

  /// Whether the parameters are a learned tensor that the layer reads, and not its own.
  bool is_of_input(const NodeFormula& formula) const {
    const DraftLayer& layer = draft_.layers[formula.layer];
    return std::find(layer.parameters.begin(), layer.parameters.end(), formula.parameters) ==
           layer.parameters.end();
  }

  /// A call must have as many operands as its kernel: a check of the tables above.
  static void expect_operands(const StepNode& node) {
    for (const KernelCall& call : node.calls) {
      if (static_cast<int>(call.in.size()) == call.kernel.operand_count) continue;
      throw InternalError(fmt::format("'{}' has {} operands for {}, which has {}", node.name,
                                      call.in.size(), call.kernel.name, call.kernel.operand_count));
    }
  }

  void bind_without_layer(int index, const ModelNode& from, const NodeFormula& formula,
                          StepNode& node) {
    const std::int32_t count = count_of(from.out_shape);
    if (from.op == "update") {
      node.sink = SinkUse{.into = SinkUse::Into::parameters, .parameters = formula.parameters};
      const OperandSource gradient =
          formula.operands.empty() ? OperandSource{Kind::gradient, formula.parameters, 0}
                                   : OperandSource{Kind::tensor, formula.operands[0].index, 0};
      node.calls = {call(kKernelOf<apply_update>, UpdateSpec{count}, {gradient})};
      return;
    }
    node.bytes = Bytes{count} * kElementBytes;
    node.writes_tensor = true;
    if (from.bytes) {
      with_place(fmt::format("'{}'", printable(from.name)),
                 [&] { expect_float(*from.bytes / count); });
    }
    if (from.op == "input") {
      const auto limit = index_limits_.find(index);
      step_.inputs.push_back({.node = index,
                              .name = from.name,
                              .shape = from.out_shape,
                              .count = count,
                              .index_limit = limit == index_limits_.end() ? 0 : limit->second,
                              .zeros = is_zeros(from.name)});
      return;
    }
    if (from.op == "copy") {
      node.calls = {call(kKernelOf<poet_copy>, poet_map_spec{.count = count, .slope = 0},
                         {{Kind::parameters, formula.parameters, 0}})};
      return;
    }
    std::vector<OperandSource> terms;
    for (const FormulaOperand& operand : formula.operands) {
      terms.push_back({Kind::tensor, operand.index, 0});
    }
    node.calls = {call(kKernelOf<poet_accumulate>, poet_map_spec{.count = count, .slope = 0},
                       std::move(terms))};
  }

  const ModelSpec& spec_;
  const Draft& draft_;
  TrainingStep step_;
  std::map<int, int> target_of_layer_;        ///< indices into TrainingStep::targets
  std::map<int, std::int64_t> index_limits_;  ///< by input
  std::set<int> roots_;                       ///< layers where the backward pass starts
  std::set<int> begun_;                       ///< parameters with a gradient that is kept
};

}  // namespace

// The draft is made again from the model, as its graph says nothing of formulas: nodes come in the
// same order, which is what ties a schedule to kernels (expect_graph_of() compares names and
// bytes).
TrainingStep bind_step(const ModelSpec& spec, std::int64_t batch_size) {
  InputErrors errors;
  const Draft draft = draft_exact(spec, batch_size, errors);
  errors.throw_if_any();
  return StepBinder(spec, draft).bind();
}

void seed_dropout(TrainingStep& step, std::uint64_t seed, int step_number) {
  for (StepNode& node : step.nodes) {
    for (KernelCall& call : node.calls) {
      auto* const spec = std::get_if<poet_dropout_spec>(&call.spec);
      if (spec == nullptr) continue;
      // seed[0] is the number of the layer.
      spec->seed[1] = poet_dropout_seed(seed, static_cast<std::uint32_t>(step_number));
    }
  }
}

}  // namespace poet
