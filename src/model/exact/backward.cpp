// The backward pass as a training step computes it: gradients follow the branches, a tensor that
// several layers read gets the sum of what they give, and each gradient reads what its formula
// needs. Layers are taken in reverse; gradient_plan.cpp has the order within a layer.
//
// A gradient of parameters is one node that reads the layer's input and dY. What becomes of it
// depends on the update. Fused: it is applied where it arises and has no tensor
// (docs/training-memory.md has what that saves). Buffered: it is a tensor until the update.
// Accumulated: it is added to an array that stays in RAM, and all updates come at the end.
// Parameters with several readers have a buffer even if updates are fused, as the last gradient has
// to see the old values.
//
// What changes parameters is computed once only: a second time would apply the gradient twice.

#include <algorithm>

#include <fmt/format.h>

#include "model/exact/copy_nodes.hpp"
#include "model/exact/draft.hpp"
#include "model/exact/gradient_plan.hpp"

namespace poet {
namespace {

using Of = GradientStep::Of;

// For each parameter, as docs/model-format.md counts them.
std::int64_t update_flop(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return 2;
    case Optimizer::momentum:
      return 4;
    case Optimizer::adam:
      return 12;
  }
  return 0;
}

class BackwardPass {
 public:
  BackwardPass(Draft& draft, const ModelSpec& spec)
      : draft_(draft),
        spec_(spec),
        plan_(plan_gradients(draft)),
        gradient_(draft.model.nodes.size(), -1) {}

  // Buffered updates come as soon as the owner of the parameters has been passed, since no layer
  // before it reads them: later they would keep the gradient in RAM for nothing.
  void run() {
    int group = static_cast<int>(draft_.parameters.size()) - 1;  // they are in the order of owners
    for (int l = static_cast<int>(draft_.layers.size()) - 1; l >= 0; --l) {
      if (plan_.is_reached[l]) add_layer(l);
      for (; group >= 0 && draft_.parameters[group].owner == l; --group) add_buffered_update(group);
    }
    for (const int trained : accumulated_) add_update(trained, {});
  }

 private:
  void add_layer(int l) {
    const DraftLayer& layer = draft_.layers[l];
    step_nodes_.assign(layer.exact.steps.size(), -1);
    for (const int s : steps_in_order(draft_, layer, spec_.update)) {
      const GradientStep& step = layer.exact.steps[s];
      if (is_of_parameters(layer, step)) {
        add_parameter_gradients(l, step);
      } else {
        add_gradient(l, s);
      }
    }
  }

  /// The gradients of the layer's parameters or of a learned tensor that it reads; a normalisation
  /// of a learned tensor has both.
  void add_parameter_gradients(int l, const GradientStep& step) {
    const DraftLayer& layer = draft_.layers[l];
    const bool is_wanted = step.of == Of::parameters || layer.inputs[step.index].wants_gradient;
    std::optional<int> also;
    if (step.also_updates && is_trained(draft_, layer, *step.also_updates)) {
      also = layer.parameters[*step.also_updates];
    }
    if (also && (!is_wanted || is_summed(*also))) {
      add_parameter_gradient(l, step, *also);
      also.reset();
    }
    if (is_wanted) add_parameter_gradient(l, step, group_of(layer, step), also);
  }

  /// The node of a tensor in this layer's formulas; -1 if the graph has no node for it.
  int find(int l, TensorRef tensor) const {
    const DraftLayer& layer = draft_.layers[l];
    switch (tensor.kind) {
      case TensorRef::Kind::input:
        return layer.inputs[tensor.index].node;
      case TensorRef::Kind::output:
        return layer.nodes[tensor.index];
      case TensorRef::Kind::gradient: {
        const int node = layer.nodes[tensor.index];
        // The gradient of a loss is 1, and so no tensor: the loss stands for it.
        return plan_.is_root[l] ? node : gradient_[node];
      }
      case TensorRef::Kind::step:
        return step_nodes_[tensor.index];
    }
    return -1;
  }

  /// The node that a gradient reads for this tensor: its copy, if it has one that will do.
  int find_read(int l, TensorRef tensor) const {
    const int node = find(l, tensor);
    return node >= 0 ? read_node(draft_, node, tensor) : -1;
  }

  static const Shape& shape_of(const DraftLayer& layer, TensorRef tensor) {
    switch (tensor.kind) {
      case TensorRef::Kind::input:
        return layer.inputs[tensor.index].shape;
      case TensorRef::Kind::step:
        return layer.exact.steps[tensor.index].shape;
      case TensorRef::Kind::output:
      case TensorRef::Kind::gradient:
        break;
    }
    return layer.exact.nodes[tensor.index].shape;
  }

  FormulaOperand operand(int l, TensorRef tensor) const {
    using Kind = FormulaOperand::Kind;
    const DraftLayer& layer = draft_.layers[l];
    const Shape& shape = shape_of(layer, tensor);
    if (tensor.kind == TensorRef::Kind::gradient && plan_.is_root[l]) return {Kind::one, -1, shape};
    if (const int node = find_read(l, tensor); node >= 0) {
      return {Kind::tensor, node, shape, node != find(l, tensor)};
    }
    if (tensor.kind != TensorRef::Kind::input) return {Kind::none, -1, shape};
    return {Kind::parameters, layer.inputs[tensor.index].parameters, shape};
  }

  NodeFormula formula(int l, const GradientStep& step) const {
    const std::vector<GradientStep>& steps = draft_.layers[l].exact.steps;
    NodeFormula formula{.layer = l, .step = static_cast<int>(&step - steps.data())};
    for (const TensorRef tensor : step.reads) formula.operands.push_back(operand(l, tensor));
    return formula;
  }

  ModelNode gradient_node(int l, const GradientStep& step) {
    const DraftLayer& layer = draft_.layers[l];
    ModelNode node;
    node.op = layer.spec->op + (is_of_parameters(layer, step) ? "_gradw" : "_grad");
    node.out_shape = step.shape;
    node.flop = step.flop;
    node.backward = true;
    node.workspace_bytes = layer.spec->workspace_bytes;
    for (const TensorRef tensor : step.reads) {
      if (const int input = find_read(l, tensor); input >= 0) {
        node.operands.push_back({input, shape_of(layer, tensor)});
        if (input != find(l, tensor)) read_copy(draft_, input, tensor, node);
      }
      if (tensor.kind != TensorRef::Kind::input || layer.inputs[tensor.index].node >= 0) continue;
      read_parameters(draft_, layer.inputs[tensor.index].parameters, node);
    }
    for (const int group : step.parameters) read_parameters(draft_, layer.parameters[group], node);
    return node;
  }

  /// A layer with `in_place` has kernels that overwrite what they read: X, and dY in its gradient.
  std::vector<int> over_of(int l, const GradientStep& step) const {
    std::vector<int> over;
    const std::optional<bool>& stated = draft_.layers[l].spec->in_place;
    if (stated == false) return over;
    std::vector<TensorRef> allowed = step.over;
    for (const TensorRef tensor : step.reads) {
      if (stated == true && tensor.kind == TensorRef::Kind::gradient) allowed.push_back(tensor);
    }
    for (const TensorRef tensor : allowed) {
      const auto read = std::find_if(step.reads.begin(), step.reads.end(), [&](TensorRef each) {
        return each.kind == tensor.kind && each.index == tensor.index;
      });
      const int node = find(l, tensor);
      const bool is_read = read == step.reads.end() || find_read(l, *read) == node;
      if (node >= 0 && is_read) over.push_back(node);
    }
    return over;
  }

  std::optional<int> own_gradient_bytes(const DraftLayer& layer) const {
    const std::optional<int>& own = layer.spec->element_bytes.gradients;
    return own ? own : spec_.element_bytes.gradients;
  }

  /// The gradient of an input, or an inner tensor of the layer's backward pass.
  void add_gradient(int l, int s) {
    const DraftLayer& layer = draft_.layers[l];
    const GradientStep& step = layer.exact.steps[s];
    const NamedTensor* const input = step.of == Of::input ? &layer.inputs[step.index] : nullptr;
    if (input != nullptr && !input->wants_gradient) {
      return add_parameter_gradient(l, step, layer.parameters[*step.also_updates]);
    }
    if (input != nullptr && step.is_view) {
      return contribute(input->node, find(l, step.reads.front()), l);
    }
    ModelNode node = gradient_node(l, step);
    const std::optional<int> size =
        input != nullptr ? draft_.gradient_bytes[input->node] : own_gradient_bytes(layer);
    node.bytes = stated_bytes(step.shape, size);
    node.name =
        take_name(draft_, input == nullptr ? fmt::format("grad({}.{})", layer.spec->name, step.name)
                                           : gradient_name(input->node, layer));
    // The small gradients of a normalisation are applied in the node that makes them.
    NodeFormula formula = this->formula(l, step);
    std::optional<int> later;
    if (step.also_updates && is_trained(draft_, layer, *step.also_updates)) {
      const int group = layer.parameters[*step.also_updates];
      if (is_summed(group)) {
        later = group;
      } else {
        write_parameters(group, node);
        formula.also = group;
      }
    }
    step_nodes_[s] = add_node(draft_, std::move(node), std::move(formula), over_of(l, step));
    if (input != nullptr) contribute(input->node, step_nodes_[s], l);
    if (later) add_parameter_gradient(l, step, *later);
  }

  std::string gradient_name(int node, const DraftLayer& layer) const {
    const std::string& tensor = draft_.model.nodes[node].name;
    return plan_.contributions[node] == 1 ? fmt::format("grad({})", tensor)
                                          : fmt::format("grad({} by {})", tensor, layer.spec->name);
  }

  /// Adds one more gradient of a tensor to those that came before.
  void contribute(int tensor, int gradient, int l) {
    int& sum = gradient_[tensor];
    if (sum < 0) {
      sum = gradient;
      return;
    }
    ModelNode node;
    node.op = "accumulate";
    node.name =
        take_name(draft_, fmt::format("accumulate({} by {})", draft_.model.nodes[tensor].name,
                                      draft_.layers[l].spec->name));
    node.out_shape = draft_.model.nodes[tensor].out_shape;
    node.flop = element_count(node.out_shape);
    node.bytes = stated_bytes(node.out_shape, draft_.gradient_bytes[tensor]);
    node.operands = {{sum, node.out_shape}, {gradient, node.out_shape}};
    node.backward = true;
    NodeFormula formula;
    for (const Operand& each : node.operands) {
      formula.operands.push_back({FormulaOperand::Kind::tensor, each.node, each.shape});
    }
    sum = add_node(draft_, std::move(node), std::move(formula), {sum, gradient});
  }

  bool has_buffer(int group) const { return poet::has_buffer(draft_, group, spec_.update); }

  /// Whether several layers add to a buffer.
  bool is_summed(int group) const {
    return has_buffer(group) && draft_.parameters[group].readers > 1;
  }

  /// A node that applies the gradient of these parameters, or adds it to what stays in RAM.
  void write_parameters(int group, ModelNode& node) {
    DraftParameters& parameters = draft_.parameters[group];
    parameters.is_trained = true;
    node.recompute = false;
    if (spec_.update == Update::accumulate) {
      node.adds_to.push_back(parameters.name);
      if (std::find(accumulated_.begin(), accumulated_.end(), group) == accumulated_.end()) {
        accumulated_.push_back(group);
      }
      return;
    }
    node.writes_parameters.push_back(parameters.name);
    // Plain gradient descent adds its products to the parameters themselves.
    if (spec_.optimizer == Optimizer::sgd) return;
    node.flop = checked_sum(
        {node.flop, checked_product({update_flop(spec_.optimizer), count_of(parameters)})});
  }

  static std::int64_t count_of(const DraftParameters& parameters) {
    return parameter_count({"", parameters.shapes});
  }

  /// `also`: parameters whose gradient the same node applies.
  void add_parameter_gradient(int l, const GradientStep& step, int group,
                              std::optional<int> also = {}) {
    DraftParameters& parameters = draft_.parameters[group];
    ModelNode node = gradient_node(l, step);
    const std::string& layer = draft_.layers[l].spec->name;
    const bool is_own = parameters.name == layer || parameters.name.starts_with(layer + ".");
    node.op = draft_.layers[l].spec->op + "_gradw";
    node.name = take_name(draft_, is_own ? fmt::format("gradw({})", parameters.name)
                                         : fmt::format("gradw({} by {})", parameters.name, layer));
    node.out_shape = {count_of(parameters)};
    if (step.is_view) node.flop = node.out_shape[0];
    node.recompute = false;
    NodeFormula formula = this->formula(l, step);
    formula.parameters = group;
    if (also) {
      write_parameters(*also, node);
      formula.also = *also;
    }
    std::vector<int> over;
    if (has_buffer(group)) {
      parameters.is_trained = true;
      node.bytes = stated_bytes(node.out_shape, parameters.element_bytes.gradients);
      if (parameters.gradient >= 0) {
        node.operands.push_back({parameters.gradient, node.out_shape});
        node.flop = checked_sum({node.flop, node.out_shape[0]});
        over = {parameters.gradient};
        formula.sum = parameters.gradient;
      }
    } else {
      node.bytes = 0;
      write_parameters(group, node);
    }
    const int index = add_node(draft_, std::move(node), std::move(formula), std::move(over));
    if (has_buffer(group)) parameters.gradient = index;
  }

  void add_buffered_update(int group) {
    const int gradient = draft_.parameters[group].gradient;
    if (gradient >= 0) add_update(group, {gradient});
  }

  void add_update(int group, const std::vector<int>& inputs) {
    const DraftParameters& parameters = draft_.parameters[group];
    ModelNode node;
    node.op = "update";
    node.name = take_name(draft_, fmt::format("update({})", parameters.name));
    node.out_shape = {count_of(parameters)};
    node.flop = checked_product({update_flop(spec_.optimizer), count_of(parameters)});
    node.bytes = 0;
    NodeFormula formula{.parameters = group};
    for (const int input : inputs) {
      node.operands.push_back({input, node.out_shape});
      formula.operands.push_back({FormulaOperand::Kind::tensor, input, node.out_shape});
    }
    node.backward = true;
    node.recompute = false;
    node.writes_parameters = {parameters.name};
    add_node(draft_, std::move(node), std::move(formula), {});
  }

  Draft& draft_;
  const ModelSpec& spec_;
  GradientPlan plan_;
  std::vector<int> gradient_;     ///< by forward node: its gradient so far
  std::vector<int> step_nodes_;   ///< of the layer at hand
  std::vector<int> accumulated_;  ///< parameters, in the order of their gradients
};

}  // namespace

void append_exact_backward(Draft& draft, const ModelSpec& spec) {
  find_waiting(draft);
  BackwardPass(draft, spec).run();
}

}  // namespace poet
