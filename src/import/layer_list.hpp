#pragma once

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/kept_weights.hpp"
#include "import/onnx_graph.hpp"
#include "model/model_spec.hpp"

namespace poet {

/// An attribute of a layer of ours, and its value.
using GivenAttribute = std::pair<std::string_view, Attribute>;

Attribute number_attribute(std::int64_t value);
Attribute window_attribute(std::int64_t height, std::int64_t width);
/// A number of the file, which has float32, as the shortest decimal that means the same float32.
double shortest_decimal(double value);
Attribute real_attribute(double value);
Attribute list_attribute(std::vector<std::int64_t> list);

/// Of a layer whose weights another node makes.
inline constexpr const char* kComputedWeights =
    "its weights are computed by other nodes; expected weights of the file, which an export "
    "without "
    "weights names as inputs";

/// The layers so far, and which of their outputs each tensor of the ONNX graph is.
class LayerList {
 public:
  /// `map_form` adds the layers that make a weight of another one.
  using FormMap = void (*)(LayerList& layers, const OnnxNode& node);
  LayerList(const OnnxGraph& graph, FormMap map_form);

  const OnnxGraph& graph() const { return graph_; }
  const OnnxTensor& at(int tensor) const { return graph_.at(tensor); }
  const Shape& shape(int tensor) const { return graph_.at(tensor).shape; }
  /// Whether an input is given whose numbers the file has: a bias, as a rule.
  bool is_in_file(int tensor) const { return tensor >= 0 && !at(tensor).is_data(); }

  /// Adds a layer and returns its name: `wanted`, or one like it that no other tensor has.
  std::string add(std::string_view op, const std::string& wanted, std::vector<std::string> inputs,
                  std::initializer_list<GivenAttribute> attributes = {});
  /// The same for a layer that uses a weight: a later user of it shares the parameters of the
  /// first.
  std::string add_with_weight(std::string_view op, const OnnxNode& node, int weight,
                              const std::string& input,
                              std::initializer_list<GivenAttribute> attributes = {});
  /// A step of a recurrence, with the parameters of an earlier one if that has a name.
  std::string add_cell(const OnnxNode& node, std::string_view op, const std::string& wanted,
                       std::vector<std::string> inputs,
                       std::initializer_list<GivenAttribute> attributes, const std::string& owner);
  /// A parameter of one known number that does not train.
  std::string add_number(const std::string& wanted, double value);
  /// The layer that has the parameters of a recurrence: empty before its first step, which the
  /// caller enters.
  std::string& owner_of_cell(const OnnxNode& node);
  /// An input of the model besides the inputs of the graph, which can be had again: zeros, as the
  /// first states of recurrent layers are.
  std::string add_input(const std::string& wanted, Shape shape);

  void set_output(int tensor, std::string name) {
    made_[name] = tensor;
    names_[tensor] = std::move(name);
  }
  /// The name of a tensor as an input of a layer. A weight, or known numbers, becomes a layer
  /// `parameter`, which is not trained if the numbers are known. Throws InputError, without a
  /// place, for data that no layer makes.
  std::string name_of_tensor(int tensor);

  void note(std::string text);
  /// States in the layer that was added last what the file's node computes and the layer does not.
  /// Several such texts are joined.
  void differs(const std::string& text);
  ModelSpec take(std::vector<std::string>& notes);
  /// The shape that the graph has for the output of a layer; null for a layer that it does not
  /// know.
  const Shape* wanted_shape(const std::string& layer) const;
  /// Where the numbers of the layers' parameters are.
  const KeptWeights& weights() const { return weights_; }

 private:
  std::string unique(const std::string& wanted);
  std::string parameter(int tensor);
  void copy_learned(std::string_view op, std::vector<std::string>& inputs);
  void train_stored(const OnnxNode& node, int weight);
  bool is_fixed(const OnnxNode& node, int weight) const;
  std::string owner_name(const OnnxNode& node, int weight) const;

  const OnnxGraph& graph_;
  FormMap map_form_;
  ModelSpec spec_;
  std::map<int, std::string> names_;       ///< of tensors
  std::map<std::string, int> made_;        ///< tensors, by layer
  std::set<std::string> taken_;            ///< names of layers, their parts included
  std::map<std::string, int> numbers_;     ///< the last that was tried, by wanted name
  std::map<int, std::string> parameters_;  ///< layers of op parameter, by weight
  std::map<std::pair<std::string, std::string>, std::string> owners_;  ///< by op and weight
  std::set<std::string> learned_;  ///< parameters that train, and views of them
  std::vector<std::string> notes_;
  KeptWeights weights_;
};

}  // namespace poet
