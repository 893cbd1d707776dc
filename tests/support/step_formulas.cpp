#include "support/step_formulas.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace poet::test {
namespace {

using Json = nlohmann::json;

/// What the output of an op and its gradients read, a letter for each tensor:
///   X, Z, V  the first, second and third input;  A  all inputs;  T  the target of a loss
///   Y  the output;  P  the op's other tensor, which its gradients read;  W  the parameters
///   D  the gradient of Y;  G  a gradient within the op
/// `XD/D` reads X and D, and may be computed over D, one element after the other. `=` means that D
/// itself is the gradient. An empty text: no such thing.
struct Row {
  std::string_view op;
  std::string_view output;
  std::vector<std::string_view> inputs{};  ///< gradients; the last one is that of all others
  std::string_view parameters{};           ///< their gradient
  bool is_joint = false;  ///< the gradient of the first input is made with that of the parameters
  std::string_view other{}, other_name{};  ///< P
  std::string_view inner{}, inner_name{};  ///< G
};

// From the definitions of the ops. A normalisation computes its statistics again. A rectifier and
// a sigmoid have gradients that follow from Y, a GELU needs X. The gradient of a dropout draws the
// mask from its seed again. The second product of attention is P V, its gradients are P' D and
// D V', that of softmax needs P, and the first product is X Z'.
const Row& row_of(const std::string& op) {
  static const std::vector<Row> rows = {
      {"conv2d", "XW", {"DW"}, "XD"},
      {"conv_transpose2d", "XW", {"DW"}, "XD"},
      {"linear", "XW", {"DW"}, "XD"},
      {.op = "linear_relu",
       .output = "XW",
       .inputs = {"GW"},
       .parameters = "XG",
       .inner = "YD/D",
       .inner_name = "z"},
      {.op = "batch_norm2d", .output = "XW", .inputs = {"XDW/D"}, .is_joint = true},
      {.op = "layer_norm", .output = "XW", .inputs = {"XDW/D"}, .is_joint = true},
      {"relu", "X/X", {"YD/D"}},
      {"relu6", "X/X", {"YD/D"}},
      {"sigmoid", "X/X", {"YD/D"}},
      {"gelu", "X/X", {"XD/D"}},
      {"dropout", "X/X", {"D/D"}},
      {.op = "max_pool2d", .output = "X", .inputs = {"PD"}, .other = "X", .other_name = "index"},
      {"avg_pool2d", "X", {"D"}},
      {"global_avg_pool", "X", {"D"}},
      {"add", "XZ/XZ", {"="}},
      {"mul", "XZ", {"ZD/D", "XD"}},
      {"concat", "A", {"D"}},
      {"slice", "X", {"D"}},
      {"permute", "X", {"D"}},
      {"embedding", "XW", {""}, "XD"},
      {.op = "attention",
       .output = "PV",
       .inputs = {"GZ", "GX", "PD"},
       .other = "XZ",
       .other_name = "scores",
       .inner = "DVP/P",
       .inner_name = "scores"},
      {"attention_qkv", "XW", {"DW"}, "XD"},
      {"attention_scores", "X", {""}},  // attention_context makes the gradients of both
      {.op = "attention_context",
       .output = "XZ",
       .inputs = {"", "GXZD"},
       .inner = "DXZ",
       .inner_name = "scores"},
      {"cross_entropy", "XT", {"XT/X"}},
      {"cross_entropy_loss", "XT", {"XT/X"}},
      {"mse", "XT", {"XT/X"}}};
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const Row& each) { return each.op == op; });
  if (row == rows.end()) throw std::runtime_error("no formulas for the op " + op);
  return *row;
}

bool is_view(std::string_view op) {
  return op == "flatten" || op == "reshape" || op == "identity";
}

/// What a name in the file stands for: a tensor, or parameters that are read like one.
struct Operand {
  std::string tensor{};
  std::string parameters{};
  std::int64_t elements = 0;
  bool learns = false;  ///< something that is trained lies below
};

struct Layer {
  std::string name;
  const Row* row = nullptr;
  std::vector<Operand> inputs{};
  std::vector<Operand> target{};  ///< one or none
  Operand output{};
  std::string parameters{};  ///< a name; empty: none
};

class Differentiation {
 public:
  Differentiation(const Json& file, const Model& model) {
    if (file.value("update", "fused") != "fused") throw std::runtime_error("update is not fused");
    for (const ModelNode& node : model.nodes) {
      if (node.backward) continue;
      elements_[node.name] = std::accumulate(node.out_shape.begin(), node.out_shape.end(),
                                             std::int64_t{1}, std::multiplies<>());
    }
    add_input("input", file.at("input"));
    const Json further = file.value("inputs", Json::object());
    for (const auto& [name, input] : further.items()) add_input(name, input);
    for (const Json& layer : file.at("layers")) add_layer(layer);
  }

  Formulas run() {
    count_gradients();
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      if (is_reached(*layer)) differentiate(*layer);
    }
    for (const auto& [parameters, buffer] : buffers_) {
      add(fmt::format("update({})", parameters),
          {.reads = {buffer}, .writes_parameters = {parameters}});
    }
    return std::move(formulas_);
  }

 private:
  // The forward pass.

  void add(const std::string& name, Formula formula) {
    if (formulas_.emplace(name, std::move(formula)).second) return;
    throw std::runtime_error("two formulas for " + name);
  }

  void add_input(const std::string& name, const Json& input) {
    add(name, {.is_sample = !input.value("repeatable", false)});
    operands_[name] = {.tensor = name, .elements = elements_.at(name)};
  }

  void add_layer(const Json& from) {
    const std::string name = from.at("name");
    const std::string op = from.at("op");
    if (op == "parameter") {
      std::int64_t elements = 1;
      for (const std::int64_t extent : from.at("shape")) elements *= extent;
      operands_[name] = {.parameters = name, .elements = elements, .learns = true};
      return;
    }
    Layer layer{.name = name};
    for (const std::string input : from.at("inputs")) layer.inputs.push_back(operands_.at(input));
    if (is_view(op)) {
      operands_[name] = layer.inputs.front();
      return;
    }
    if (op == "attention_scores") sources_[name] = layer.inputs.front();
    if (op == "attention_context") layer.inputs.push_back(sources_.at(from.at("inputs").at(0)));
    if (from.contains("target")) layer.target = {operands_.at(from.at("target"))};
    layer.row = &row_of(op);
    if (layer.row->output.find('W') != std::string_view::npos) {
      layer.parameters = from.value("weights", name);
      ++readers_[layer.parameters];
    }
    for (const Operand& input : layer.inputs) ++readers_[input.parameters];
    layer.output = {.tensor = name,
                    .elements = elements_.at(name),
                    .learns = !layer.parameters.empty() ||
                              std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                          [](const Operand& input) { return input.learns; })};
    if (!layer.row->other.empty()) add(other_name(layer), formula(layer, layer.row->other));
    add(name, formula(layer, layer.row->output));
    operands_[name] = layer.output;
    layers_.push_back(std::move(layer));
  }

  static std::string other_name(const Layer& layer) {
    return fmt::format("{}.{}", layer.name, layer.row->other_name);
  }
  static std::string inner_name(const Layer& layer) {
    return fmt::format("grad({}.{})", layer.name, layer.row->inner_name);
  }

  /// The tensors and parameters that a letter of the table stands for.
  std::vector<Operand> find(const Layer& layer, char letter) const {
    switch (letter) {
      case 'X':
        return {layer.inputs.at(0)};
      case 'Z':
        return {layer.inputs.at(1)};
      case 'V':
        return {layer.inputs.at(2)};
      case 'A':
        return layer.inputs;
      case 'T':
        return layer.target;
      case 'Y':
        return {layer.output};
      case 'P':
        return {{.tensor = other_name(layer)}};
      case 'W':
        return {{.parameters = layer.parameters}};
      case 'D':
        return {{.tensor = gradients_.at(layer.name)}};
      case 'G':
        return {{.tensor = inner_name(layer)}};
      default:
        throw std::runtime_error(fmt::format("no meaning of {}", letter));
    }
  }

  Formula formula(const Layer& layer, std::string_view text) const {
    Formula result;
    const std::size_t slash = std::min(text.find('/'), text.size());
    for (const char letter : text.substr(0, slash)) {
      for (const Operand& operand : find(layer, letter)) {
        const bool is_tensor = !operand.tensor.empty();
        (is_tensor ? result.reads : result.reads_parameters)
            .push_back(is_tensor ? operand.tensor : operand.parameters);
      }
    }
    for (const char letter : text.substr(std::min(slash + 1, text.size()))) {
      for (const Operand& operand : find(layer, letter)) result.over.push_back(operand.tensor);
    }
    return result;
  }

  // The backward pass.

  static bool is_loss(const Layer& layer) {
    return layer.row->output.find('T') != std::string_view::npos;
  }

  /// The text of the gradient of input i. A side of a sum that is smaller than the sum has been
  /// repeated; its gradient adds up what D has for it.
  static std::string_view gradient_text(const Layer& layer, std::size_t i) {
    const std::vector<std::string_view>& inputs = layer.row->inputs;
    const std::string_view text = inputs[std::min(i, inputs.size() - 1)];
    const Operand& input = layer.inputs[i];
    const bool is_whole = input.elements == layer.output.elements && input.parameters.empty();
    return text == "=" && !is_whole ? "D" : text;
  }

  bool is_reached(const Layer& layer) const {
    const auto count = contributions_.find(layer.name);
    return is_loss(layer) || (count != contributions_.end() && count->second > 0);
  }

  /// How many layers give each tensor a gradient. Names depend on it.
  void count_gradients() {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      if (!is_reached(*layer)) continue;
      for (std::size_t i = 0; i < layer->inputs.size(); ++i) {
        const Operand& input = layer->inputs[i];
        const bool gives = input.learns && !gradient_text(*layer, i).empty();
        if (gives && !input.tensor.empty()) ++contributions_[input.tensor];
      }
    }
  }

  void differentiate(const Layer& layer) {
    const Row& row = *layer.row;
    if (!row.inner.empty()) add(inner_name(layer), formula(layer, row.inner));
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const Operand& input = layer.inputs[i];
      const std::string_view text = gradient_text(layer, i);
      if (!input.learns || text.empty()) continue;
      if (input.tensor.empty()) {
        add_parameter_gradient(layer, input.parameters, text);
      } else if (text == "=") {
        contribute(layer, input.tensor, gradients_.at(layer.name));
      } else {
        Formula gradient = formula(layer, text);
        if (row.is_joint) gradient.writes_parameters = {layer.parameters};
        const std::string name = contributions_.at(input.tensor) == 1
                                     ? fmt::format("grad({})", input.tensor)
                                     : fmt::format("grad({} by {})", input.tensor, layer.name);
        add(name, std::move(gradient));
        contribute(layer, input.tensor, name);
      }
    }
    if (row.is_joint && readers_.at(layer.parameters) > 1) {
      throw std::runtime_error(layer.name + " shares parameters");
    }
    if (row.is_joint && !layer.inputs.front().learns) {
      throw std::runtime_error(layer.name + " needs no gradient of its input");
    }
    if (!row.parameters.empty()) add_parameter_gradient(layer, layer.parameters, row.parameters);
  }

  /// Adds one more gradient of a tensor to those that came before.
  void contribute(const Layer& layer, const std::string& tensor, const std::string& gradient) {
    const auto [sum, is_first] = gradients_.emplace(tensor, gradient);
    if (is_first) return;
    const std::string name = fmt::format("accumulate({} by {})", tensor, layer.name);
    add(name, {.reads = {sum->second, gradient}, .over = {sum->second, gradient}});
    sum->second = name;
  }

  /// One that changes the parameters, or, if several layers read them, adds to a buffer.
  void add_parameter_gradient(const Layer& layer, const std::string& parameters,
                              std::string_view text) {
    Formula gradient = formula(layer, text);
    const std::string name = parameters == layer.name
                                 ? fmt::format("gradw({})", parameters)
                                 : fmt::format("gradw({} by {})", parameters, layer.name);
    if (readers_.at(parameters) == 1) {
      gradient.writes_parameters = {parameters};
    } else {
      std::string& buffer = buffers_[parameters];
      if (!buffer.empty()) {
        gradient.reads.push_back(buffer);
        gradient.over.push_back(buffer);
      }
      buffer = name;
    }
    add(name, std::move(gradient));
  }

  std::map<std::string, std::int64_t> elements_;  ///< by forward tensor
  std::map<std::string, Operand> operands_;       ///< by the names that layers read
  std::map<std::string, Operand> sources_;        ///< by attention_scores: what it reads
  std::map<std::string, int> readers_;            ///< by parameters
  std::vector<Layer> layers_;                     ///< without views
  std::map<std::string, int> contributions_;      ///< by tensor
  std::map<std::string, std::string> gradients_;  ///< by tensor: the sum so far
  std::map<std::string, std::string> buffers_;    ///< by parameters: the sum so far
  Formulas formulas_;
};

}  // namespace

Formulas step_formulas(const nlohmann::json& model_file, const Model& model) {
  return Differentiation(model_file, model).run();
}

Formulas builtin_formulas(const Model& model) {
  std::ifstream file(fmt::format("{}/models/{}.json", POET_SOURCE_DIR, model.name));
  return step_formulas(nlohmann::json::parse(file), model);
}

}  // namespace poet::test
