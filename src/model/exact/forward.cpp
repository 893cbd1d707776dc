// The forward pass in true counts. A layer becomes as many nodes as it makes tensors; a view
// becomes none: its readers read the node below.
//
// Parameters are owned by the first layer that has them, and counted at the first node that reads
// them. A learned tensor makes no node: it lies with the parameters, and its reader reads
// parameters. Each tensor notes whether anything trainable lies below it; the backward pass goes no
// further down than that, which is what makes training a part of a network cheap.
//
// A layer with a mistake is remembered as unsound. What reads it, or one of its parts, is left out
// without an error of its own.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "model/exact/copy_nodes.hpp"
#include "model/exact/draft.hpp"
#include "model/exact/layer_options.hpp"
#include "model/exact/train_parts.hpp"
#include "model/node_names.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

class ForwardPass {
 public:
  ForwardPass(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors)
      : spec_(spec), batch_size_(batch_size), errors_(errors) {
    for (const LayerSpec& layer : spec.layers) {
      names_.announce(layer.name);
      draft_.names.insert(layer.name);
    }
    for (const InputSpec& input : spec.inputs) add_input(input);
  }

  void add(const LayerSpec& spec) {
    DraftLayer layer{.spec = &spec, .exact = {.nodes = {}}};
    bool is_known = find_inputs(layer) && spec.whole;
    is_known = is_known && collect_in(spec, [&] { layer.exact = infer(layer); });
    is_known = is_known && collect_in(spec, [&] { check(layer.exact); });
    is_known = is_known && errors_.collect([&] {
      check_tensor_options(draft_, layer);
      check_int8_weights(layer);
      choose_parts(layer);
    });
    is_known = is_known && find_parameters(layer);
    std::vector<int> over;
    is_known = is_known && errors_.collect([&] { over = stated_in_place(layer); });
    is_known = is_known && collect_in(spec, [&] { add_nodes(layer, over); });
    name_outputs(layer, is_known);
    if (!is_known) is_unsound_.insert(spec.name);
    if (is_known) layer_index_.emplace(spec.name, static_cast<int>(draft_.layers.size()));
    draft_.layers.push_back(std::move(layer));
  }

  Draft finish() { return std::move(draft_); }

 private:
  void add_input(const InputSpec& spec) {
    NamedTensor tensor{.shape = spec.shape};
    if (spec.has_batch) tensor.shape[0] = batch_size_;
    tensor.is_known = spec_.has_inputs && errors_.collect([&] {
      try {
        element_count(tensor.shape);
      } catch (const InputError& error) {
        throw InputError(spec.place + "/shape", error.what());
      }
    });
    if (tensor.is_known) {
      ModelNode node;
      node.name = spec.name;
      node.op = "input";
      node.out_shape = tensor.shape;
      node.bytes = stated_bytes(
          tensor.shape, spec.element_bytes ? spec.element_bytes : spec_.element_bytes.activations);
      node.recompute = spec.repeatable;
      draft_.names.insert(spec.name);
      tensor.node = add_node(draft_, std::move(node), {}, {});
      errors_.collect([&] { add_stated_copy(draft_, spec_.copies, tensor.node, spec.copy); });
    }
    errors_.collect([&] { names_.add(spec.name, spec.place); });
    tensors_.push_back(std::move(tensor));
  }

  /// The formulas of an op know nothing of files. Their errors get the layer's place here.
  template <typename Work>
  bool collect_in(const LayerSpec& layer, Work&& work) {
    return errors_.collect([&] {
      try {
        work();
      } catch (const InputError& error) {
        throw InputError(fmt::format("{} ({} '{}')", layer.place, layer.op, printable(layer.name)),
                         error.what());
      }
    });
  }

  bool find_inputs(DraftLayer& layer) {
    const LayerSpec& spec = *layer.spec;
    std::vector<InputName> names = spec.inputs;
    if (spec.target) names.push_back(*spec.target);
    if (std::any_of(names.begin(), names.end(),
                    [&](const InputName& input) { return is_part_of_unsound(input.name); })) {
      return false;
    }
    const std::vector<int> indices = names_.indices(names, spec.name, errors_);
    if (indices.size() != names.size()) return false;
    for (const int index : indices) {
      const NamedTensor& tensor = tensors_[index];
      if (!tensor.is_known) return tensor.has_parts && report_parts(spec, names, indices, index);
      layer.inputs.push_back(tensor);
    }
    // A target is compared with, not learned from.
    if (spec.target) layer.inputs.back().wants_gradient = false;
    return true;
  }

  /// Whether the name may denote a part of a layer whose parts are unknown because of an error.
  bool is_part_of_unsound(const std::string& name) const {
    const std::size_t dot = name.rfind('.');
    return dot != std::string::npos && is_unsound_.contains(name.substr(0, dot));
  }

  bool report_parts(const LayerSpec& spec, const std::vector<InputName>& names,
                    const std::vector<int>& indices, int index) {
    const auto at = std::find(indices.begin(), indices.end(), index) - indices.begin();
    const std::string name = printable(names[at].name);
    return errors_.collect([&] {
      throw InputError(names[at].place,
                       fmt::format("found '{}', whose parts have names of their own; expected one "
                                   "of them, such as '{}.0', for '{}'",
                                   name, name, printable(spec.name)));
    });
  }

  // attention_context reads queries, keys and values as well, which its file form does not name:
  // they are what the scores were made of.
  ExactLayer infer(DraftLayer& layer) {
    const OpRule& rule = *find_op(layer.spec->op);
    if (rule.reads_source) {
      const int below = layer.inputs.front().layer;
      if (below < 0 || draft_.layers[below].spec->op != "attention_scores") {
        throw InputError(
            "found an input that attention_scores does not make, expected one that "
            "it does");
      }
      layer.inputs.push_back(draft_.layers[below].inputs.front());
    }
    std::vector<Shape> shapes;
    for (const NamedTensor& input : layer.inputs) shapes.push_back(input.shape);
    return rule.exact({.inputs = shapes,
                       .attributes = layer.spec->attributes,
                       .batch_size = batch_size_,
                       .version = spec_.version});
  }

  static void check(const ExactLayer& layer) {
    for (const ForwardNode& node : layer.nodes) element_count(node.shape);
    for (const ParameterGroup& group : layer.parameters) parameter_count(group);
  }

  // A layer trains what the owner of its parameters does.
  void choose_parts(DraftLayer& layer) const {
    const LayerSpec* from = layer.spec;
    if (from->weights && from->trained) {
      throw InputError(from->place,
                       "\"trainable\": found a list beside \"weights\"; expected it in "
                       "the layer that has the parameters");
    }
    while (from->weights) {
      const auto owner = layer_index_.find(from->weights->name);
      if (owner == layer_index_.end()) return;
      from = draft_.layers[owner->second].spec;
    }
    if (from->trained && from->op == layer.spec->op) {
      train_parts(layer.exact, from->op, *from->trained);
    }
  }

  bool find_parameters(DraftLayer& layer) {
    const LayerSpec& spec = *layer.spec;
    const int index = static_cast<int>(draft_.layers.size());
    bool is_copied = false;
    if (!errors_.collect([&] { is_copied = has_copied_parameters(spec_, layer); })) return false;
    if (spec.weights) {
      const auto owner = layer_index_.find(spec.weights->name);
      if (owner == layer_index_.end() && is_unsound_.contains(spec.weights->name)) return false;
      return errors_.collect([&] {
        share_parameters(draft_, layer, owner == layer_index_.end() ? -1 : owner->second);
      });
    }
    for (std::size_t g = 0; g < layer.exact.parameters.size(); ++g) {
      const ParameterGroup& group = layer.exact.parameters[g];
      layer.parameters.push_back(static_cast<int>(draft_.parameters.size()));
      draft_.parameters.push_back(
          {.name = group.suffix.empty() ? spec.name : spec.name + "." + group.suffix,
           .shapes = group.shapes,
           .owner = index,
           .readers = layer.exact.is_parameter ? 0 : 1,
           .trainable = spec.trainable && group.trains && trains(layer.exact, static_cast<int>(g)),
           .has_int8_weights = spec.frozen_weights == FrozenWeights::int8,
           .is_copied = is_copied,
           .element_bytes = sizes_of(spec_, spec)});
    }
    return true;
  }

  int node_of(const DraftLayer& layer, TensorRef tensor) const {
    return tensor.kind == TensorRef::Kind::input ? layer.inputs[tensor.index].node
                                                 : layer.nodes[tensor.index];
  }

  static const Shape& shape_of(const DraftLayer& layer, TensorRef tensor) {
    return tensor.kind == TensorRef::Kind::input ? layer.inputs[tensor.index].shape
                                                 : layer.exact.nodes[tensor.index].shape;
  }

  FormulaOperand operand(const DraftLayer& layer, TensorRef tensor) const {
    const int node = node_of(layer, tensor);
    const Shape& shape = shape_of(layer, tensor);
    if (node >= 0) return {FormulaOperand::Kind::tensor, node, shape};
    return {FormulaOperand::Kind::parameters, layer.inputs[tensor.index].parameters, shape};
  }

  void add_nodes(DraftLayer& layer, const std::vector<int>& stated_over) {
    if (layer.exact.is_parameter) return;
    const LayerSpec& spec = *layer.spec;
    for (const NamedTensor& input : layer.inputs) {
      if (input.node < 0) ++draft_.parameters[input.parameters].readers;
    }
    for (const ForwardNode& from : layer.exact.nodes) {
      ModelNode node;
      node.name = name_of(spec, from);
      node.op = from.suffix.empty() || from.is_readable ? spec.op : spec.op + "_" + from.suffix;
      node.out_shape = from.shape;
      node.flop = from.flop;
      const ElementBytes sizes = sizes_of(spec_, spec);
      node.bytes =
          stated_bytes(from.shape, from.element_bytes ? from.element_bytes : sizes.activations);
      node.workspace_bytes = spec.workspace_bytes;
      node.recompute = spec.recompute;
      node.page = spec.page;
      node.bank = spec.bank;
      NodeFormula formula{.layer = static_cast<int>(draft_.layers.size()),
                          .output = static_cast<int>(layer.nodes.size())};
      for (const TensorRef tensor : from.reads) {
        formula.operands.push_back(operand(layer, tensor));
        if (const int input = node_of(layer, tensor); input >= 0) {
          node.operands.push_back({input, shape_of(layer, tensor)});
        }
        if (tensor.kind == TensorRef::Kind::input) read(layer.inputs[tensor.index], node);
      }
      for (const int group : from.parameters) read_group(layer.parameters[group], node);
      // A file with a key for the buffer decides alone; else the op does.
      std::vector<int> over = stated_over;
      if (!spec.in_place && !spec.in_place_over) {
        for (const TensorRef tensor : from.over) over.push_back(node_of(layer, tensor));
        std::erase(over, -1);
        for (const TensorRef tensor : from.over_copied) {
          const int below = node_of(layer, tensor);
          const bool has_copy = below >= 0 && draft_.copies[below] >= 0;
          if (has_copy && spec_.copies.mode == CopyMode::int8) over.push_back(below);
        }
      }
      layer.nodes.push_back(
          add_node(draft_, std::move(node), std::move(formula), std::move(over), sizes.gradients));
      add_stated_copy(draft_, spec_.copies, layer.nodes.back(), spec.copy);
    }
  }

  // Files refer to readable parts, so these keep their names; any other node gives way to a name
  // that is taken.
  std::string name_of(const LayerSpec& spec, const ForwardNode& node) {
    if (node.suffix.empty()) return spec.name;
    std::string name = spec.name + "." + node.suffix;
    if (!node.is_readable) return take_name(draft_, std::move(name));
    draft_.names.insert(name);
    return name;
  }

  void read(const NamedTensor& tensor, ModelNode& node) {
    if (tensor.layer >= 0) draft_.layers[tensor.layer].is_read = true;
    if (tensor.node < 0) read_group(tensor.parameters, node);
  }

  /// Each parameter is counted at the first node that reads it, which may be its copy.
  void read_group(int group, ModelNode& node) {
    const DraftParameters& parameters = draft_.parameters[group];
    const std::int64_t count = parameter_count({"", parameters.shapes});
    const bool is_first = counted_.insert(group).second;
    if (is_first && parameters.is_copied) {
      add_copy(draft_, group);
    } else if (is_first) {
      node.parameter_count = checked_sum({node.parameter_count, count});
    }
    read_parameters(draft_, group, node);
  }

  /// Gives names to what other layers may read.
  void name_outputs(const DraftLayer& layer, bool is_known) {
    const LayerSpec& spec = *layer.spec;
    NamedTensor tensor{.layer = static_cast<int>(draft_.layers.size()), .is_known = is_known};
    if (is_known) {
      tensor.wants_gradient =
          std::any_of(layer.inputs.begin(), layer.inputs.end(),
                      [](const NamedTensor& input) { return input.wants_gradient; }) ||
          std::any_of(layer.parameters.begin(), layer.parameters.end(),
                      [&](int group) { return draft_.parameters[group].trainable; });
    }
    NamedTensor own = tensor;
    own.is_known = false;
    if (is_known && layer.exact.view) {
      own = layer.inputs.front();
      own.shape = *layer.exact.view;
      own.is_view = true;
    }
    std::vector<std::pair<std::string, NamedTensor>> parts;
    for (std::size_t i = 0; is_known && i < layer.exact.nodes.size(); ++i) {
      const ForwardNode& node = layer.exact.nodes[i];
      tensor.shape = node.shape;
      tensor.node = layer.exact.is_parameter ? -1 : layer.nodes[i];
      tensor.parameters = layer.exact.is_parameter ? layer.parameters.front() : -1;
      if (node.suffix.empty()) own = tensor;
      if (node.is_readable) parts.emplace_back(spec.name + "." + node.suffix, tensor);
    }
    own.has_parts = is_known && !own.is_known;
    errors_.collect([&] { names_.add(spec.name, spec.place); });
    tensors_.push_back(own);
    for (const auto& [name, part] : parts) {
      errors_.collect([&, &output = name] { names_.add(output, spec.place); });
      tensors_.push_back(part);
    }
  }

  const ModelSpec& spec_;
  std::int64_t batch_size_;
  InputErrors& errors_;
  Draft draft_;
  NodeNames names_;
  std::vector<NamedTensor> tensors_;  ///< by index of names_
  std::map<std::string, int> layer_index_;
  std::set<std::string> is_unsound_;  ///< layers with errors
  std::set<int> counted_;             ///< parameters
};

}  // namespace

Draft draft_forward(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors) {
  ForwardPass pass(spec, batch_size, errors);
  for (const LayerSpec& layer : spec.layers) pass.add(layer);
  return pass.finish();
}

}  // namespace poet
