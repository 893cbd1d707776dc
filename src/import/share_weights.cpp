// A layer owns all of its parameters together, and another layer shares all of them or none. Files
// share tensors one by one. So the users of each weight are compared: if they share all, they stay.
// If their biases differ, the biases become parameters that are added. If one reads the weight
// transposed or as a tensor, the products are products with a parameter.

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "import/lower.hpp"
#include "import/match.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// Where layers have their parameters, by op: the inputs of the node.
const std::vector<std::size_t>& weight_inputs(const OnnxGraph& graph, const OnnxNode& node) {
  static const std::map<std::string, std::vector<std::size_t>> inputs = {
      {".linear", {1, 2}},
      {"Conv", {1, 2}},
      {"ConvTranspose", {1, 2}},
      {"BatchNormalization", {1, 2, 3, 4}},
      {"InstanceNormalization", {1, 2}},
      {"LayerNormalization", {1, 2}},
      {".layer_norm", {1, 2}},
      {".group_norm", {1, 2}},
      {".lstm", {1, 2, 3}},
      {".gru", {1, 2, 3}},
      {"PRelu", {1}},
      {"Gather", {0}}};
  static const std::vector<std::size_t> none;
  const auto found = inputs.find(node.op);
  if (found == inputs.end()) return none;
  const bool is_lookup = node.op != "Gather" ||
                         (graph.at(node.inputs[0]).is_weight && graph.at(node.inputs[1]).is_data());
  return is_lookup ? found->second : none;
}

bool has_loose_bias(const OnnxNode& node) {
  return node.op == ".linear" || node.op == "Conv" || node.op == "ConvTranspose" ||
         node.op == ".layer_norm" || node.op == "LayerNormalization";
}

/// How the nodes of a graph read one weight.
struct Uses {
  std::set<std::string> keys;    ///< in which forms
  std::set<std::string> layers;  ///< with which companions
  bool is_operand = false;       ///< of some node that is not a layer with parameters
  bool has_lookup = false;
};

class Sharing {
 public:
  explicit Sharing(const OnnxGraph& graph) : graph_(graph) {
    for (const OnnxNode& node : graph.nodes) add(node);
  }

  /// Whether the layer has to give up its bias: others have it, or the weight without it.
  bool loses_bias(const OnnxNode& node) const {
    if (!has_loose_bias(node) || node.inputs.size() < 3 || node.inputs[2] < 0) return false;
    return is_split(node.inputs[2]) || is_split(node.inputs[1]);
  }
  /// Whether the weight of a linear layer has to be a parameter.
  bool is_loose(const OnnxNode& node) const {
    if (node.op != ".linear") return false;
    const Uses& uses = uses_.at(origin(node.inputs[1]));
    return uses.is_operand || (uses.keys.size() > 1 && !are_parts(uses));
  }
  /// Throws for what no layers can share.
  void check(const OnnxNode& node) const {
    const std::vector<std::size_t>& inputs = weight_inputs(graph_, node);
    for (const std::size_t i : inputs) {
      if (i >= node.inputs.size() || node.inputs[i] < 0) continue;
      const Uses& uses = uses_.at(origin(node.inputs[i]));
      const bool is_bias = i == 2 && has_loose_bias(node);
      const bool is_linear = node.op == ".linear" && !uses.has_lookup;
      const bool is_whole = !uses.is_operand && (uses.keys.size() == 1 || are_parts(uses));
      const bool may_lose = is_whole && has_loose_bias(node);
      const bool may_share = uses.layers.size() == 1 || are_parts(uses) || may_lose;
      if (is_bias || is_linear || (is_whole && (may_share || node.op == "Gather"))) continue;
      throw InputError(fmt::format(
          "{} (node {}): other nodes read its weight '{}' in another way, which no layers can "
          "share; expected a weight of its own",
          printable(node.op), printable(node.name), printable(graph_.at(node.inputs[i]).name)));
    }
  }

 private:
  int origin(int tensor) const {
    return graph_.at(tensor).origin < 0 ? tensor : graph_.at(tensor).origin;
  }

  void add(const OnnxNode& node) {
    const std::vector<std::size_t>& slots = weight_inputs(graph_, node);
    std::string layer = node.op == "Gather" ? ".linear" : node.op;
    for (const std::size_t i : slots) {
      if (i < node.inputs.size() && node.inputs[i] >= 0) {
        layer += " " + weight_key(graph_, node, node.inputs[i]);
      }
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] < 0 || graph_.at(node.inputs[i]).is_data()) continue;
      Uses& uses = uses_[origin(node.inputs[i])];
      if (std::find(slots.begin(), slots.end(), i) == slots.end()) {
        uses.is_operand = true;
        continue;
      }
      uses.keys.insert(weight_key(graph_, node, node.inputs[i]));
      uses.layers.insert(layer);
      uses.has_lookup = uses.has_lookup || node.op == "Gather";
    }
  }

  bool is_split(int weight) const {
    const Uses& uses = uses_.at(origin(weight));
    return uses.is_operand || (uses.layers.size() > 1 && !are_parts(uses));
  }

  /// Parts of one weight, such as the queries, keys and values of an attention, train apart.
  static bool are_parts(const Uses& uses) {
    return !uses.is_operand && uses.keys.size() == uses.layers.size() && uses.keys.size() > 1 &&
           std::all_of(uses.keys.begin(), uses.keys.end(), [](const std::string& key) {
             return key.find("Slice") != std::string::npos ||
                    key.find("Gather") != std::string::npos;
           });
  }

  const OnnxGraph& graph_;
  std::map<int, Uses> uses_;  ///< by weight
};

/// A bias in the shape in which it is added: a bias of channels has extents of 1 behind it.
int bias_of(GraphBuilder& b) {
  const int bias = b.node().input(2);
  const bool is_window = b.node().op == "Conv" || b.node().op == "ConvTranspose";
  if (!is_window) return bias;
  Shape shape(b.shape(b.node().output(0)).size() - 1, 1);
  shape[0] = element_count(b.shape(bias));
  return b.in_shape(bias, shape);
}

/// The product of rows with a matrix that is a parameter.
int product(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const int x = node.input(0);
  const Shape in = b.shape(x);
  const Shape out = b.shape(node.output(0));
  const Shape rows{element_count(in) / in.back(), in.back()};
  const int flat = in.size() == 2 ? x : b.add("Reshape", {x}, rows);
  const bool in_first = node.integer("in_first", 0) != 0;
  const int made = b.add(".matmul", {flat, node.input(1)}, {rows[0], out.back()},
                         {{"transpose_b", integer_of(in_first ? 0 : 1)}});
  return out.size() == 2 ? made : b.add("Reshape", {made}, out);
}

}  // namespace

std::string weight_key(const OnnxGraph& graph, const OnnxNode& node, int weight) {
  const OnnxTensor& tensor = graph.at(weight);
  std::string form = tensor.form;
  const bool is_turned = node.attributes.contains("in_first") &&
                         node.attributes.at("in_first").integer != 0 && weight == node.inputs[1];
  const std::string turn = "T1,0;";
  if (is_turned && form.ends_with(turn)) {
    form.resize(form.size() - turn.size());
  } else if (is_turned) {
    form += turn;
  }
  return fmt::format("{} {}", tensor.origin < 0 ? weight : tensor.origin, form);
}

void share_weights(OnnxGraph& graph) {
  const Sharing sharing(graph);
  for (const OnnxNode& node : graph.nodes) sharing.check(node);
  replace_nodes(graph, [&](GraphBuilder& builder) {
    const OnnxNode& node = builder.node();
    const bool is_loose = sharing.is_loose(node);
    const bool loses_bias = sharing.loses_bias(node);
    if (!is_loose && !loses_bias) return;
    node.read_all();
    int made = -1;
    if (is_loose) {
      made = product(builder);
    } else {
      std::vector<int> inputs = node.inputs;
      inputs[2] = -1;
      made = builder.add_like(node.output(0), node.op, std::move(inputs),
                              {node.attributes.begin(), node.attributes.end()});
    }
    if (node.input(2) >= 0) {
      builder.add_like(node.output(0), "Add", {made, bias_of(builder)});
    }
  });
}

}  // namespace poet
