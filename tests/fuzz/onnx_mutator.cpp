// Mutations for libFuzzer that keep an ONNX file a file: they change the graph, not its bytes.
// Nearly all changes of bytes end in libonnx's checker, before our reader sees them.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

constexpr std::int64_t kNumbers[] = {std::numeric_limits<std::int64_t>::min(),
                                     -(std::int64_t{1} << 31U),
                                     -3,
                                     -2,
                                     -1,
                                     0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     6,
                                     8,
                                     100,
                                     4097,
                                     std::int64_t{1} << 31U,
                                     std::int64_t{1} << 53U,
                                     std::numeric_limits<std::int64_t>::max()};

constexpr const char* kOps[] = {"Abs",          "Add",
                                "AveragePool",  "BatchNormalization",
                                "Cast",         "Clip",
                                "Concat",       "Constant",
                                "Conv",         "ConstantOfShape",
                                "Conv1d",       "ConvTranspose",
                                "Div",          "Dropout",
                                "Equal",        "Erf",
                                "Expand",       "Flatten",
                                "GRU",          "Gather",
                                "Gemm",         "GlobalAveragePool",
                                "HardSigmoid",  "HardSwish",
                                "Identity",     "InstanceNormalization",
                                "LSTM",         "LeakyRelu",
                                "LogSoftmax",   "MatMul",
                                "MaxPool",      "Mul",
                                "Pad",          "Pow",
                                "RandomNormal", "Range",
                                "ReduceMean",   "ReduceProd",
                                "Relu",         "Reshape",
                                "Resize",       "Shape",
                                "Sigmoid",      "Size",
                                "Slice",        "Softmax",
                                "Split",        "Sqrt",
                                "Squeeze",      "Sub",
                                "Tanh",         "Transpose",
                                "Unsqueeze",    "Upsample",
                                "Where"};

constexpr const char* kAttributes[] = {
    "allowzero", "alpha",     "auto_pad", "axes",    "axis",          "beta",        "ceil_mode",
    "direction", "dilations", "end",      "epsilon", "group",         "hidden_size", "kernel_shape",
    "keepdims",  "mode",      "pads",     "perm",    "scales",        "split",       "start",
    "strides",   "to",        "transA",   "transB",  "training_mode", "value_ints"};

class Mutation {
 public:
  Mutation(onnx::ModelProto& model, unsigned seed)
      : model_(model), graph_(*model.mutable_graph()), random_(seed) {
    for (const auto& each : graph_.input()) names_.push_back(each.name());
    for (const auto& each : graph_.initializer()) names_.push_back(each.name());
    for (const auto& node : graph_.node()) {
      for (const std::string& each : node.output()) names_.push_back(each);
    }
    names_.emplace_back();
  }

  void change() {
    onnx::NodeProto* const node = any(graph_.mutable_node());
    switch (below(10)) {
      case 0:
        return change_input_of(node);
      case 1:
        if (node != nullptr) node->set_op_type(one_of(kOps));
        return;
      case 2:
      case 3:
        return change_attribute_of(node);
      case 4:
        return add_node();
      case 5:
        return change_tensor(any(graph_.mutable_initializer()));
      case 6:
        return change_type(any(graph_.mutable_input()));
      case 7:
        if (auto* const output = any(graph_.mutable_output())) output->set_name(any_name());
        return;
      case 8:
        return add_tensor();
      default:
        return change_order();
    }
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  template <typename Item, std::size_t size>
  Item one_of(const Item (&items)[size]) {
    return items[static_cast<std::size_t>(below(static_cast<int>(size)))];
  }

  template <typename Item>
  Item* any(google::protobuf::RepeatedPtrField<Item>* items) {
    return items->empty() ? nullptr : items->Mutable(below(items->size()));
  }

  const std::string& any_name() {
    return names_[static_cast<std::size_t>(below(static_cast<int>(names_.size())))];
  }

  void change_input_of(onnx::NodeProto* node) {
    if (node == nullptr) return;
    const int kind = below(6);
    if (kind == 0) {
      node->add_input(any_name());
    } else if (kind == 1 && node->input_size() > 0) {
      node->mutable_input()->RemoveLast();
    } else if (node->input_size() > 0) {
      node->set_input(below(node->input_size()), any_name());
    }
  }

  void change_numbers(google::protobuf::RepeatedField<std::int64_t>* numbers) {
    const int kind = below(6);
    if (kind == 0 || numbers->empty()) {
      numbers->Add(one_of(kNumbers));
    } else if (kind == 1) {
      numbers->RemoveLast();
    } else {
      numbers->Set(below(numbers->size()), one_of(kNumbers));
    }
  }

  void change_attribute_of(onnx::NodeProto* node) {
    if (node == nullptr) return;
    onnx::AttributeProto* attribute = any(node->mutable_attribute());
    if (attribute == nullptr || below(6) == 0) {
      attribute = node->add_attribute();
      attribute->set_name(one_of(kAttributes));
      attribute->set_type(below(2) == 0 ? onnx::AttributeProto::INT : onnx::AttributeProto::INTS);
    }
    if (attribute->has_t() && below(3) > 0) return change_tensor(attribute->mutable_t());
    if (attribute->type() == onnx::AttributeProto::INTS) {
      return change_numbers(attribute->mutable_ints());
    }
    if (attribute->type() == onnx::AttributeProto::INT) {
      return attribute->set_i(one_of(kNumbers));
    }
    if (attribute->type() == onnx::AttributeProto::FLOAT) {
      return attribute->set_f(static_cast<float>(one_of(kNumbers)));
    }
    node->mutable_attribute()->DeleteSubrange(below(node->attribute_size()), 1);
  }

  void add_node() {
    onnx::NodeProto node;
    if (const auto* const other = any(graph_.mutable_node()); other != nullptr && below(2) == 0) {
      node = *other;
    } else {
      node.set_op_type(one_of(kOps));
      for (int count = 1 + below(3); count > 0; --count) node.add_input(any_name());
    }
    node.clear_output();
    const std::string name = "new" + std::to_string(below(1 << 20));
    node.add_output(name);
    // It goes last, and is read by the output or not at all, or takes a place among the others.
    *graph_.add_node() = node;
    if (graph_.output_size() > 0 && below(2) == 0) graph_.mutable_output(0)->set_name(name);
    names_.push_back(name);
  }

  void change_tensor(onnx::TensorProto* tensor) {
    if (tensor == nullptr) return;
    switch (below(4)) {
      case 0:
        return change_numbers(tensor->mutable_dims());
      case 1:
        return tensor->set_data_type(1 + below(16));
      case 2:
        return change_numbers(tensor->mutable_int64_data());
      default:
        tensor->set_raw_data(
            std::string(static_cast<std::size_t>(below(5)) * 8, static_cast<char>(below(256))));
    }
  }

  void add_tensor() {
    onnx::TensorProto* const tensor = graph_.add_initializer();
    tensor->set_name("tensor" + std::to_string(below(1 << 20)));
    const int count = below(4);
    tensor->add_dims(count);
    tensor->set_data_type(onnx::TensorProto::INT64);
    for (int i = 0; i < count; ++i) tensor->add_int64_data(one_of(kNumbers));
    names_.push_back(tensor->name());
    if (auto* const node = any(graph_.mutable_node())) node->add_input(tensor->name());
  }

  void change_type(onnx::ValueInfoProto* value) {
    if (value == nullptr) return;
    auto* const type = value->mutable_type()->mutable_tensor_type();
    if (below(6) == 0) return type->set_elem_type(1 + below(16));
    auto* const dims = type->mutable_shape()->mutable_dim();
    if (below(4) == 0 || dims->empty()) {
      dims->Add()->set_dim_value(one_of(kNumbers));
    } else if (below(4) == 0) {
      any(dims)->set_dim_param("n");
    } else {
      any(dims)->set_dim_value(one_of(kNumbers));
    }
  }

  void change_order() {
    auto* const nodes = graph_.mutable_node();
    if (nodes->empty()) return;
    switch (below(3)) {
      case 0:
        return nodes->DeleteSubrange(below(nodes->size()), 1);
      case 1:
        return nodes->SwapElements(below(nodes->size()), below(nodes->size()));
      default:
        if (model_.opset_import_size() > 0) {
          model_.mutable_opset_import(0)->set_version(1 + below(17));
        }
    }
  }

  onnx::ModelProto& model_;
  onnx::GraphProto& graph_;
  std::minstd_rand random_;
  std::vector<std::string> names_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  const google::protobuf::LogSilencer silence;
  onnx::ModelProto model;
  const bool wants_bytes = seed % 8 == 0;
  if (wants_bytes || !model.ParseFromArray(data, static_cast<int>(size)) || !model.has_graph()) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  Mutation mutation(model, seed);
  for (unsigned i = 0; i <= seed / 8 % 3; ++i) mutation.change();
  const std::string changed = model.SerializeAsString();
  if (changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  changed.copy(reinterpret_cast<char*>(data), changed.size());
  return changed.size();
}
