// Shapes by the inference functions of libonnx, which know every op. They are called node by node,
// not by infer_shapes() for the whole model: between two nodes stands our arithmetic on shapes
// (constants.cpp), without which many extents stay open. libonnx wants inputs as its own messages,
// so shapes and known numbers are kept in both forms (read_graph.cpp).

#include "import/node_shapes.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <onnx/defs/schema.h>
#include <onnx/defs/shape_inference.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// One node with everything that is known of its inputs.
class NodeContext : public onnx::InferenceContext {
 public:
  NodeContext(const onnx::NodeProto& node, const OnnxInputs& inputs)
      : inputs_(inputs), types_(static_cast<std::size_t>(node.output_size())) {
    for (const onnx::AttributeProto& each : node.attribute()) attributes_[each.name()] = &each;
  }

  std::vector<onnx::TypeProto> take() { return std::move(types_); }

  const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    const auto found = attributes_.find(name);
    return found == attributes_.end() ? nullptr : found->second;
  }
  size_t getNumInputs() const override { return inputs_.types.size(); }
  const onnx::TypeProto* getInputType(size_t index) const override {
    return inputs_.types.at(index);
  }
  const onnx::TensorProto* getInputData(size_t index) const override {
    return inputs_.numbers.at(index);
  }
  size_t getNumOutputs() const override { return types_.size(); }
  onnx::TypeProto* getOutputType(size_t index) override { return &types_.at(index); }
  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override {
    return nullptr;
  }
  const onnx::SparseTensorProto* getInputSparseData(size_t) const override { return nullptr; }
  const onnx::TensorShapeProto* getSymbolicInput(size_t) const override { return nullptr; }

 private:
  const OnnxInputs& inputs_;
  std::map<std::string, const onnx::AttributeProto*> attributes_;
  std::vector<onnx::TypeProto> types_;
};

/// Null for an op that libonnx does not know.
const onnx::OpSchema* schema_of(const onnx::NodeProto& node,
                                const std::map<std::string, int>& opsets) {
  const auto opset = opsets.find(node.domain());
  if (opset == opsets.end()) return nullptr;
  return onnx::OpSchemaRegistry::Schema(node.op_type(), opset->second, node.domain());
}

bool has_shape(const OnnxInputs& inputs, std::size_t input) {
  return input < inputs.types.size() && inputs.types[input] != nullptr &&
         inputs.types[input]->tensor_type().has_shape();
}

/// libonnx 1.12 makes as many extents as a list of them claims to have, and reads extents of the
/// weight of ConvTranspose that are not there.
void check_what_libonnx_does_not(const onnx::NodeProto& node, const OnnxInputs& inputs) {
  const std::string& op = node.op_type();
  if (op == "ConvTranspose") {
    for (const std::size_t input : {0U, 1U}) {
      if (has_shape(inputs, input) && inputs.types[input]->tensor_type().shape().dim_size() > 2) {
        continue;
      }
      throw InputError(fmt::format("its {} has too few extents; expected 3 or more",
                                   input == 0 ? "input" : "weight"));
    }
  }
  if (op != "Expand" && op != "Reshape" && op != "Tile" && op != "ConstantOfShape") return;
  const std::size_t list = op == "ConstantOfShape" ? 0 : 1;
  if (!has_shape(inputs, list)) return;
  for (const auto& extent : inputs.types[list]->tensor_type().shape().dim()) {
    if (extent.dim_value() <= kMaxRank) continue;
    throw InputError(fmt::format("its output has {} extents; expected at most {}",
                                 extent.dim_value(), kMaxRank));
  }
}

}  // namespace

bool is_default(const onnx::AttributeProto& attribute, const onnx::NodeProto& node,
                const std::map<std::string, int>& opsets) {
  const onnx::OpSchema* const schema = schema_of(node, opsets);
  if (schema == nullptr) return false;
  const auto found = schema->attributes().find(attribute.name());
  if (found == schema->attributes().end()) return false;
  const onnx::AttributeProto& usual = found->second.default_value;
  return usual.has_type() && usual.type() == attribute.type() && usual.i() == attribute.i() &&
         usual.f() == attribute.f() && usual.s() == attribute.s() &&
         std::equal(usual.ints().begin(), usual.ints().end(), attribute.ints().begin(),
                    attribute.ints().end());
}

// An op without a schema, such as one of another domain, gets types without extents; whether that
// matters is for the reader of the graph to say, who may know them from the file.
std::vector<onnx::TypeProto> infer_types(const onnx::NodeProto& node, const OnnxInputs& inputs,
                                         const std::map<std::string, int>& opsets) {
  NodeContext context(node, inputs);
  const onnx::OpSchema* const schema = schema_of(node, opsets);
  // A branch or a loop would need the shapes of graphs of its own.
  const bool has_graph = node.op_type() == "If" || node.op_type() == "Loop" ||
                         node.op_type() == "Scan" || node.op_type() == "SequenceMap";
  if (schema == nullptr || has_graph || !schema->has_type_and_shape_inference_function()) {
    return context.take();
  }
  check_what_libonnx_does_not(node, inputs);
  try {
    schema->GetTypeAndShapeInferenceFunction()(context);
  } catch (const std::exception& error) {
    const std::string message = error.what();
    throw InputError(
        fmt::format("libonnx infers no shape of its output: {}; expected inputs that fit the op: "
                    "--shape states the extents of the graph's inputs",
                    printable(message.substr(0, message.find('\n')), 300)));
  }
  return context.take();
}

}  // namespace poet
