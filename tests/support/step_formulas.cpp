#include "support/step_formulas.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/op_formulas.hpp"

namespace poet::test {
namespace {

using Json = nlohmann::json;

/// What a name in the file stands for: a tensor, or parameters that are read like one.
struct Operand {
  std::string tensor{};
  std::string parameters{};
  std::int64_t elements = 0;
  bool learns = false;  ///< something that is trained lies below
};

struct Layer {
  std::string name;
  std::string op;
  OpFormulas formulas;
  std::vector<Operand> inputs{};
  std::vector<Operand> target{};  ///< one or none
  Operand output{};
  std::string owner{};  ///< the layer that has the parameters
  bool trains = false;
};

class Differentiation {
 public:
  Differentiation(const Json& file, const Model& model) : update_(file.value("update", "fused")) {
    for (const ModelNode& node : model.nodes) {
      if (node.backward) continue;
      elements_[node.name] = std::accumulate(node.out_shape.begin(), node.out_shape.end(),
                                             std::int64_t{1}, std::multiplies<>());
    }
    if (file.contains("input")) add_input("input", file.at("input"));
    const Json further = file.value("inputs", Json::object());
    for (const auto& [name, input] : further.items()) add_input(name, input);
    for (const Json& layer : file.at("layers")) add_layer(layer);
  }

  Formulas run() {
    for (const Layer& layer : layers_) find_waiting(layer);
    count_gradients();
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      if (is_reached(*layer)) differentiate(*layer);
    }
    for (const auto& [parameters, buffer] : buffers_) {
      add(fmt::format("update({})", parameters),
          {.reads = {buffer}, .writes_parameters = {parameters}});
    }
    for (const std::string& parameters : kept_) {
      add(fmt::format("update({})", parameters),
          {.writes_parameters = {parameters}, .applies = {parameters}});
    }
    return std::move(formulas_);
  }

 private:
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
      operands_[name] = {
          .parameters = name, .elements = elements, .learns = from.value("trainable", true)};
      if (is_copied(from)) copied_.insert(name);
      return;
    }
    if (is_view(op)) {
      operands_[name] = operands_.at(from.at("inputs").at(0));
      return;
    }
    Layer layer{.name = name, .op = op, .formulas = formulas_of(from)};
    find_inputs(from, layer);
    find_parameters(from, layer);
    name_outputs(layer);
    layers_.push_back(std::move(layer));
  }

  static bool is_copied(const Json& from) {
    return from.value("frozen_parameters", "in_place") == "copied";
  }

  void find_inputs(const Json& from, Layer& layer) {
    for (const std::string input : from.at("inputs")) layer.inputs.push_back(operands_.at(input));
    if (layer.op == "attention_scores") sources_[layer.name] = layer.inputs.front();
    if (layer.op == "attention_context") {
      layer.inputs.push_back(sources_.at(from.at("inputs").at(0)));
    }
    if (from.contains("target")) layer.target = {operands_.at(from.at("target"))};
    for (const Operand& input : layer.inputs) {
      read_.insert(input.tensor);
      ++readers_[input.parameters];
    }
  }

  void find_parameters(const Json& from, Layer& layer) {
    const bool has_own = layer.formulas.output.find('W') != std::string::npos;
    if (!has_own && layer.formulas.parameters.empty()) return;
    layer.owner = from.value("weights", layer.name);
    if (layer.owner == layer.name) {
      trainable_[layer.name] = from.value("trainable", true) && !layer.formulas.parameters.empty();
    }
    layer.trains = from.value("trainable", true) && trainable_.at(layer.owner);
    if (is_copied(from)) {
      for (std::size_t g = 0; g < layer.formulas.parameter_names.size(); ++g) {
        copied_.insert(parameters_of(layer, g));
      }
    }
    for (std::size_t g = 0; g < layer.formulas.parameters.size(); ++g) {
      ++readers_[parameters_of(layer, g)];
    }
  }

  void name_outputs(Layer& layer) {
    const bool learns =
        layer.trains || std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                    [](const Operand& input) { return input.learns; });
    for (const std::string& output : outputs_of(layer)) {
      operands_[output] = {.tensor = output, .elements = elements_.at(output), .learns = learns};
    }
    for (std::size_t i = 0; i < layer.formulas.others.size(); ++i) {
      add(other_name(layer, i), formula(layer, layer.formulas.others[i].formula));
    }
    if (layer.formulas.parts == 0) {
      layer.output = operands_.at(layer.name);
      add(layer.name, formula(layer, layer.formulas.output));
    }
    for (int i = 0; i < layer.formulas.parts; ++i) {
      add(part_name(layer, i), formula(layer, layer.formulas.output));
    }
  }

  static std::string parameters_of(const Layer& layer, std::size_t group) {
    const std::string& name = layer.formulas.parameter_names.at(group);
    return name.empty() ? layer.owner : layer.owner + "." + name;
  }
  static std::string other_name(const Layer& layer, std::size_t i) {
    return layer.name + "." + layer.formulas.others.at(i).name;
  }
  static std::string inner_name(const Layer& layer, std::size_t i) {
    return fmt::format("grad({}.{})", layer.name, layer.formulas.gradients.at(i).name);
  }
  static std::string part_name(const Layer& layer, int i) {
    return fmt::format("{}.{}", layer.name, i);
  }

  /// All tensors of a layer's forward pass.
  static std::vector<std::string> outputs_of(const Layer& layer) {
    std::vector<std::string> names;
    if (layer.formulas.parts == 0) names.push_back(layer.name);
    for (int i = 0; i < layer.formulas.parts; ++i) names.push_back(part_name(layer, i));
    for (std::size_t i = 0; i < layer.formulas.others.size(); ++i) {
      names.push_back(other_name(layer, i));
    }
    return names;
  }

  std::vector<Operand> gradient_of(const std::string& tensor) const {
    const auto found = gradients_.find(tensor);
    if (found == gradients_.end()) return {};
    return {{.tensor = found->second}};
  }

  std::vector<Operand> gradients_of_parts(const Layer& layer) const {
    std::vector<Operand> all;
    for (int i = 0; i < layer.formulas.parts; ++i) {
      for (const Operand& part : gradient_of(part_name(layer, i))) all.push_back(part);
    }
    return all;
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
      case 'Q':
        return {{.tensor = other_name(layer, letter == 'Q' ? 1 : 0)}};
      case 'W':
      case 'U':
        return {{.parameters = parameters_of(layer, letter == 'U' ? 1 : 0)}};
      case 'D':
        return gradient_of(layer.name);
      case 'E':
        return gradient_of(other_name(layer, 1));
      case 'S':
        return gradients_of_parts(layer);
      case 'G':
      case 'H':
        return {{.tensor = inner_name(layer, letter == 'H' ? 1 : 0)}};
      default:
        throw std::runtime_error(fmt::format("no meaning of {}", letter));
    }
  }

  /// The tensor that such parameters are read from, with the formula that copies them there.
  std::string copy_of(const std::string& parameters) {
    std::string name = fmt::format("copy({})", parameters);
    formulas_.emplace(name, Formula{.reads_parameters = {parameters}});
    return name;
  }

  Formula formula(const Layer& layer, const std::string& text) {
    Formula result;
    const std::size_t slash = std::min(text.find('/'), text.size());
    for (const char letter : text.substr(0, slash)) {
      for (const Operand& operand : find(layer, letter)) {
        const bool is_tensor = !operand.tensor.empty();
        if (!is_tensor && copied_.contains(operand.parameters)) {
          result.reads.push_back(copy_of(operand.parameters));
          continue;
        }
        (is_tensor ? result.reads : result.reads_parameters)
            .push_back(is_tensor ? operand.tensor : operand.parameters);
      }
    }
    for (const char letter : text.substr(std::min(slash + 1, text.size()))) {
      for (const Operand& operand : find(layer, letter)) result.over.push_back(operand.tensor);
    }
    return result;
  }

  /// Where the backward pass starts: one number that no layer reads.
  bool is_loss(const Layer& layer) const {
    return layer.output.elements == 1 && !read_.contains(layer.name) &&
           (layer.owner.empty() || layer.op == "custom");
  }

  /// The text of the gradient of input i. A side of a sum that is smaller than the sum has been
  /// repeated; its gradient adds up what D has for it.
  static std::string gradient_text(const Layer& layer, std::size_t i) {
    const std::vector<std::string>& inputs = layer.formulas.inputs;
    const std::string& text = inputs[std::min(i, inputs.size() - 1)];
    const Operand& input = layer.inputs[i];
    const bool is_whole = input.elements == layer.output.elements && input.parameters.empty();
    return text == "=" && !is_whole ? "D" : text;
  }

  bool is_reached(const Layer& layer) const {
    const std::vector<std::string> outputs = outputs_of(layer);
    return is_loss(layer) ||
           std::any_of(outputs.begin(), outputs.end(),
                       [&](const std::string& output) { return contributions_.contains(output); });
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

  /// Of a product of two things that are learned, each gradient reads the other factor. A gradient
  /// that reads what is changed in the same layer, or comes first of two such, has to wait.
  void find_waiting(const Layer& layer) {
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const Operand& input = layer.inputs[i];
      if (input.parameters.empty() || !input.learns) continue;
      std::string text = gradient_text(layer, i);
      for (std::size_t k = layer.formulas.gradients.size(); k-- > 0;) {
        if (text.find("GH"[k]) != std::string::npos) text += layer.formulas.gradients[k].formula;
      }
      const bool is_joint = i == 0 && layer.formulas.is_joint;
      bool waits = layer.trains && !is_joint && text.find_first_of("WU") != std::string::npos;
      for (std::size_t j = i + 1; j < layer.inputs.size(); ++j) {
        const Operand& other = layer.inputs[j];
        const bool reads = text.find('A') != std::string::npos ||
                           (j < 3 && text.find("XZV"[j]) != std::string::npos);
        waits = waits || (reads && !other.parameters.empty() && other.learns);
      }
      if (waits) waiting_.insert(input.parameters);
    }
  }

  void differentiate(const Layer& layer) {
    std::string used;
    bool updates_jointly = false;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const Operand& input = layer.inputs[i];
      const std::string text = gradient_text(layer, i);
      if (!input.learns || text.empty()) continue;
      used += text;
      if (text == "=" && !input.tensor.empty()) {
        contribute(layer, input.tensor, gradients_.at(layer.name));
        continue;
      }
      Formula gradient = formula(layer, text);
      if (i == 0 && layer.formulas.is_joint && layer.trains) {
        updates_jointly = change_at_once(parameters_of(layer, 0), gradient);
      }
      if (input.tensor.empty()) {
        add_parameter_gradient(layer, input.parameters, std::move(gradient));
        continue;
      }
      const std::string name = contributions_.at(input.tensor) == 1
                                   ? fmt::format("grad({})", input.tensor)
                                   : fmt::format("grad({} by {})", input.tensor, layer.name);
      add(name, std::move(gradient));
      contribute(layer, input.tensor, name);
    }
    const std::vector<std::string>& parameters = layer.formulas.parameters;
    for (std::size_t g = 0; layer.trains && !updates_jointly && g < parameters.size(); ++g) {
      used += parameters[g];
      add_parameter_gradient(layer, parameters_of(layer, g), formula(layer, parameters[g]));
    }
    add_inner_gradients(layer, used);
  }

  /// Those that the formulas in `used` read, and those that these read in turn.
  void add_inner_gradients(const Layer& layer, std::string used) {
    for (std::size_t i = layer.formulas.gradients.size(); i-- > 0;) {
      if (used.find("GH"[i]) == std::string::npos) continue;
      const std::string& text = layer.formulas.gradients[i].formula;
      add(inner_name(layer, i), formula(layer, text));
      used += text;
    }
  }

  /// Adds one more gradient of a tensor to those that came before.
  void contribute(const Layer& layer, const std::string& tensor, const std::string& gradient) {
    const auto [sum, is_first] = gradients_.emplace(tensor, gradient);
    if (is_first) return;
    const std::string name = fmt::format("accumulate({} by {})", tensor, layer.name);
    add(name, {.reads = {sum->second, gradient}, .over = {sum->second, gradient}});
    sum->second = name;
  }

  /// Lets a formula apply the gradient that it makes, or keep it beside the graph, unless several
  /// layers read the parameters.
  bool change_at_once(const std::string& parameters, Formula& formula) {
    if (update_ == "accumulate") {
      formula.adds_to.push_back(parameters);
      kept_.insert(parameters);
      return true;
    }
    if (readers_.at(parameters) > 1 || waiting_.contains(parameters)) return false;
    formula.writes_parameters.push_back(parameters);
    return true;
  }

  void add_parameter_gradient(const Layer& layer, const std::string& parameters, Formula gradient) {
    gradient.over.clear();
    const bool is_own = layer.owner == layer.name &&
                        (parameters == layer.name || parameters.starts_with(layer.name + "."));
    const std::string name = is_own ? fmt::format("gradw({})", parameters)
                                    : fmt::format("gradw({} by {})", parameters, layer.name);
    if (update_ == "buffered" || !change_at_once(parameters, gradient)) {
      std::string& buffer = buffers_[parameters];
      if (!buffer.empty()) {
        gradient.reads.push_back(buffer);
        gradient.over.push_back(buffer);
      }
      buffer = name;
    }
    add(name, std::move(gradient));
  }

  std::string update_;
  std::map<std::string, std::int64_t> elements_;  ///< by forward tensor
  std::map<std::string, Operand> operands_;       ///< by the names that layers read
  std::map<std::string, Operand> sources_;        ///< by attention_scores: what it reads
  std::map<std::string, int> readers_;            ///< by parameters
  std::map<std::string, bool> trainable_;         ///< by owner
  std::set<std::string> copied_;                  ///< parameters that are read from a copy
  std::set<std::string> read_;                    ///< tensors that layers read
  std::vector<Layer> layers_;                     ///< without views
  std::map<std::string, int> contributions_;      ///< by tensor
  std::map<std::string, std::string> gradients_;  ///< by tensor: the sum so far
  std::map<std::string, std::string> buffers_;    ///< by parameters: the sum so far
  std::set<std::string> waiting_;                 ///< learned tensors that are updated later
  std::set<std::string> kept_;                    ///< parameters whose gradients are no tensors
  Formulas formulas_;
};

}  // namespace

Formulas step_formulas(const nlohmann::json& model_file, const Model& model) {
  return Differentiation(model_file, model).run();
}

}  // namespace poet::test
