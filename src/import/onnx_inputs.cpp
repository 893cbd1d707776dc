// Data and weights among the inputs of a file. An export with export_params=False lists its weights
// as inputs, and nothing says which they are. PyTorch writes the data first; then an input is a
// weight from the first one on that a layer takes as its weight, or that is named like one. What
// the rule takes for learned tensors in between is in docs/import.md.

#include "import/onnx_inputs.hpp"

#include <algorithm>
#include <iterator>

#include "import/onnx_file.hpp"
#include "model/parameters.hpp"

namespace poet {
namespace {

/// The inputs of ops that are always weights.
/// MatMul and Gemm are not here: either side of a product may be data.
const std::map<std::string, std::set<int>>& weight_places() {
  static const std::map<std::string, std::set<int>> places = {
      {"Conv", {1, 2}},
      {"ConvTranspose", {1, 2}},
      {"BatchNormalization", {1, 2, 3, 4}},
      {"InstanceNormalization", {1, 2}},
      {"LayerNormalization", {1, 2}},
      {"LSTM", {1, 2, 3}},
      {"GRU", {1, 2, 3}},
      {"PRelu", {1}},
  };
  return places;
}

/// Whether an input of a file that passes its weights in may be data: learned tensors are floats
/// whose extents are all known.
bool may_be_data(const onnx::ValueInfoProto& input) {
  const auto& type = input.type().tensor_type();
  return is_integer_type(type.elem_type()) ||
         std::any_of(type.shape().dim().begin(), type.shape().dim().end(), is_open);
}

}  // namespace

std::set<std::string> stored_names(const onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) names.insert(tensor.values().name());
  return names;
}

bool is_open(const onnx::TensorShapeProto::Dimension& extent) {
  return !extent.has_dim_value() || extent.dim_value() <= 0;
}

// A file that stores its weights has no such question: all that is passed in is data then.
std::vector<const onnx::ValueInfoProto*> data_of(const onnx::GraphProto& graph) {
  std::set<std::string> weights;
  for (const auto& node : graph.node()) {
    const auto places = weight_places().find(node.op_type());
    if (places == weight_places().end()) continue;
    for (const int place : places->second) {
      if (place < node.input_size()) weights.insert(node.input(place));
    }
  }
  const std::set<std::string> stored = stored_names(graph);
  const auto is_weight = [&](const onnx::ValueInfoProto& input) {
    return weights.contains(input.name()) || is_weight_name(input.name());
  };
  std::vector<const onnx::ValueInfoProto*> passed;
  for (const auto& input : graph.input()) {
    if (!stored.contains(input.name())) passed.push_back(&input);
  }
  const auto first = std::find_if(passed.begin(), passed.end(),
                                  [&](const auto* input) { return is_weight(*input); });
  if (first == passed.end()) return passed;
  std::vector<const onnx::ValueInfoProto*> data;
  std::copy_if(passed.begin(), first, std::back_inserter(data),
               [&](const auto* input) { return input == passed.front() || may_be_data(*input); });
  return data;
}

// An extent that the user stated is no longer open, even if the file leaves it so.
std::vector<OnnxInput> data_inputs(const onnx::ModelProto& model,
                                   const std::map<std::string, Shape>& shapes) {
  std::vector<OnnxInput> inputs;
  for (const onnx::ValueInfoProto* const input : data_of(model.graph())) {
    const auto& shape = input->type().tensor_type().shape();
    inputs.push_back({.name = input->name(),
                      .has_open_batch = !shapes.contains(input->name()) && shape.dim_size() > 0 &&
                                        is_open(shape.dim(0))});
  }
  return inputs;
}

}  // namespace poet
