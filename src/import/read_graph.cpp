// One pass over the nodes, which ONNX demands in topological order. Each node gets the shapes of
// its outputs. Then it is a constant, or it is computed from known numbers, or it is a weight in
// another form, or else a node of our graph. All errors are collected, and what only follows from
// one is none. What is known of a tensor is kept in two forms, ours and libonnx's, because its
// inference asks for messages of its own; numbers get the second form only when a node first reads
// them.

#include "import/read_graph.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "import/constants.hpp"
#include "import/match.hpp"
#include "import/newer_opsets.hpp"
#include "import/node_shapes.hpp"
#include "import/onnx_file.hpp"
#include "import/onnx_inputs.hpp"
#include "import/weight_forms.hpp"
#include "model/parameters.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

class GraphReader {
 public:
  GraphReader(const onnx::ModelProto& model, const OpenExtents& extents)
      : model_(model), extents_(extents) {
    for (const auto& opset : model.opset_import()) {
      const bool is_usual = is_usual_domain(opset.domain());
      opsets_[is_usual ? "" : opset.domain()] = static_cast<int>(opset.version());
      if (is_usual) graph_.opset = static_cast<int>(opset.version());
    }
    opsets_["ai.onnx"] = graph_.opset;
  }

  // Errors of inputs end the reading before the nodes: without their shapes every node would fail.
  OnnxGraph read() {
    const onnx::GraphProto& graph = model_.graph();
    graph_.name = graph.name();
    for (const auto& value : graph.value_info()) stated_[value.name()] = &value.type();
    for (const auto& value : graph.output()) stated_[value.name()] = &value.type();
    read_inputs();
    for (const auto& tensor : graph.initializer()) read_weight(tensor);
    errors_.throw_if_any();
    for (const auto& node : graph.node()) {
      if (node.domain() != kNewerDomain) {
        read_node(node);
        continue;
      }
      for (const auto& each : in_known_words(node)) read_node(each);
    }
    errors_.throw_if_any();
    for (const auto& output : graph.output()) graph_.outputs.push_back(known(output.name()));
    return std::move(graph_);
  }

 private:
  int add_tensor(const std::string& name) {
    const int index = static_cast<int>(graph_.tensors.size());
    graph_.tensors.push_back({.name = name});
    types_.emplace_back();
    protos_.emplace_back();
    index_[name] = index;
    return index;
  }

  int known(const std::string& name) const {
    const auto found = index_.find(name);
    if (found == index_.end()) {
      throw InputError(fmt::format(
          "no node makes the output '{}'; expected an output of one of the graph's nodes",
          printable(name)));
    }
    return found->second;
  }

  void set_type(int tensor, int type, const Shape& shape) {
    graph_.tensors[tensor].shape = shape;
    graph_.tensors[tensor].is_integer = is_integer_type(type);
    auto* const proto = types_[tensor].mutable_tensor_type();
    proto->set_elem_type(type);
    proto->mutable_shape()->clear_dim();
    for (const std::int64_t extent : shape)
      proto->mutable_shape()->add_dim()->set_dim_value(extent);
  }

  void read_inputs() {
    const onnx::GraphProto& graph = model_.graph();
    const std::vector<const onnx::ValueInfoProto*> data = data_of(graph);
    const std::set<std::string> stored = stored_names(graph);
    for (const auto& input : graph.input()) {
      if (stored.contains(input.name())) continue;
      const bool is_data = std::find(data.begin(), data.end(), &input) != data.end();
      errors_.collect([&] {
        const int tensor = add_tensor(input.name());
        set_type(tensor, input.type().tensor_type().elem_type(), input_shape(input, is_data));
        if (const auto number = extents_.numbers.find(input.name());
            number != extents_.numbers.end()) {
          return set_number(tensor, number->second);
        }
        graph_.tensors[tensor].is_weight = !is_data;
        if (is_data) graph_.inputs.push_back(tensor);
      });
    }
  }

  void set_number(int tensor, double number) {
    OnnxTensor& set = graph_.tensors[tensor];
    const std::int64_t count = element_count(set.shape);
    if (count > kMaxKnownNumbers) {
      throw InputError(fmt::format("--set: the input '{}' has {} elements; expected at most {}",
                                   printable(set.name), count, kMaxKnownNumbers));
    }
    if (set.is_integer && number != std::trunc(number)) {
      throw InputError(fmt::format("--set: found {} for the input '{}', which has whole numbers",
                                   number, printable(set.name)));
    }
    set.values = std::vector<double>(static_cast<std::size_t>(count), number);
    set.is_constant = true;
  }

  Shape input_shape(const onnx::ValueInfoProto& input, bool is_data) const {
    const auto stated = extents_.shapes.find(input.name());
    const auto& found = input.type().tensor_type().shape();
    if (stated != extents_.shapes.end()) {
      const bool has_rank = input.type().tensor_type().has_shape();
      if (has_rank && std::ssize(stated->second) != found.dim_size()) {
        throw InputError(fmt::format("--shape: found {} extents for the input '{}', which has {}",
                                     stated->second.size(), printable(input.name()),
                                     found.dim_size()));
      }
      return stated->second;
    }
    Shape shape;
    for (int i = 0; i < found.dim_size(); ++i) {
      const auto& extent = found.dim(i);
      if (!is_open(extent)) {
        shape.push_back(extent.dim_value());
      } else if (i == 0 && is_data) {
        shape.push_back(extents_.batch);
      } else {
        throw InputError(
            fmt::format("the input '{}' leaves extent {} open ({}); expected a number "
                        "in the file, or --shape {}=EXTENTS",
                        printable(input.name()), i,
                        extent.dim_param().empty() ? "without a name"
                                                   : "'" + printable(extent.dim_param()) + "'",
                        printable(input.name())));
      }
    }
    if (shape.empty() && is_data && !extents_.numbers.contains(input.name())) {
      throw InputError(
          fmt::format("the input '{0}' has no extents; expected one at least, or --set {0}=VALUE, "
                      "which makes the "
                      "single number a constant",
                      printable(input.name())));
    }
    return shape;
  }

  void read_weight(const onnx::TensorProto& tensor) {
    const int index = add_tensor(tensor.name());
    set_type(index, tensor.data_type(), Shape(tensor.dims().begin(), tensor.dims().end()));
    // Whole numbers say how. A float may say by how much or be trained, which depends on where it
    // stands, so that it is a weight whose number is known.
    OnnxTensor& read = graph_.tensors[index];
    if (read.is_integer) read.values = small_numbers(tensor);
    read.is_constant = read.values.has_value();
    read.is_weight = !read.is_constant;
    if (!read.is_constant) take_numbers(read, float_numbers(tensor));
  }

  /// A node of an opset that libonnx does not know, as it knows it.
  std::vector<onnx::NodeProto> in_known_words(const onnx::NodeProto& node) {
    std::vector<onnx::NodeProto> known;
    std::vector<int> inputs;
    for (const std::string& name : node.input()) {
      if (!name.empty() && !index_.contains(name)) return known;
      inputs.push_back(name.empty() ? -1 : index_.at(name));
    }
    errors_.collect([&] {
      with_place(fmt::format("node '{}' ({})", printable(node.name()), printable(node.op_type())),
                 [&] { known = in_known_opset(node, graph_, inputs); });
    });
    return known;
  }

  void read_node(const onnx::NodeProto& node) {
    const std::string& domain = node.domain();
    OnnxNode read{.op = is_usual_domain(domain) || domain == kNewerDomain
                            ? node.op_type()
                            : node.domain() + "." + node.op_type(),
                  .name = node.name()};
    bool is_known = true;
    for (const std::string& name : node.input()) {
      const bool is_there = name.empty() || index_.contains(name);
      is_known = is_known && is_there;
      read.inputs.push_back(name.empty() || !is_there ? -1 : index_.at(name));
    }
    // What only follows from another error is not reported.
    if (!is_known) return;
    for (const auto& attribute : node.attribute()) {
      if (is_default(attribute, node, opsets_)) continue;
      read.attributes[attribute.name()] = {
          .integer = attribute.i(),
          .number = attribute.f(),
          .text = attribute.s(),
          .integers = {attribute.ints().begin(), attribute.ints().end()},
          .numbers = {attribute.floats().begin(), attribute.floats().end()},
          .texts = {attribute.strings().begin(), attribute.strings().end()}};
    }
    errors_.collect([&] { add_node(node, std::move(read)); });
  }

  // Shapes of all outputs are found before any tensor is added, so a node that fails leaves nothing
  // behind and its readers are recognised as consequences.
  void add_node(const onnx::NodeProto& proto, OnnxNode node) {
    const std::string who = fmt::format("node '{}' ({})", printable(node.name), printable(node.op));
    const std::vector<onnx::TypeProto> types =
        proto.domain() == kNewerDomain
            ? std::vector{types_.at(node.inputs.at(0))}
            : with_place(who, [&] { return infer_types(proto, inputs_of(node), opsets_); });
    std::vector<std::pair<std::string, Shape>> outputs;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const std::string& name = proto.output(static_cast<int>(i));
      if (!name.empty()) outputs.emplace_back(name, output_shape(types[i], name, who, i));
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (proto.output(static_cast<int>(i)).empty()) {
        node.outputs.push_back(-1);
        continue;
      }
      const int tensor = add_tensor(outputs[at].first);
      set_type(tensor, types[i].tensor_type().elem_type(), outputs[at].second);
      node.outputs.push_back(tensor);
      ++at;
    }
    if (!take_constant(proto, node) && !take_form(graph_, node, extents_.keep_numbers) &&
        !take_folded(node)) {
      graph_.nodes.push_back(std::move(node));
    }
  }

  /// What follows from constants is a constant, and so is a comparison of weights, which no
  /// gradient passes. Other arithmetic on weights stays, with the numbers that it comes to for who
  /// asks.
  bool take_folded(const OnnxNode& node) {
    const bool is_folded = fold_constants(graph_, node) || fold_form(graph_, node);
    if (!is_folded) return false;
    OnnxTensor& out = graph_.tensors[node.output(0)];
    const bool only_asks = node.op == "Shape" || node.op == "Size";
    out.is_constant = out.is_integer || only_asks ||
                      std::all_of(node.inputs.begin(), node.inputs.end(), [&](int tensor) {
                        return tensor < 0 || graph_.at(tensor).is_constant;
                      });
    return out.is_constant;
  }

  OnnxInputs inputs_of(const OnnxNode& node) {
    OnnxInputs inputs;
    for (const int tensor : node.inputs) {
      inputs.types.push_back(tensor < 0 ? nullptr : &types_[tensor]);
      inputs.numbers.push_back(tensor < 0 ? nullptr : proto_of(tensor));
    }
    return inputs;
  }

  /// libonnx wants known numbers as tensors of its own. They are made once, when a node first reads
  /// them.
  const onnx::TensorProto* proto_of(int tensor) {
    const OnnxTensor& known = graph_.tensors[tensor];
    // Of what is stored as float16 and is read by libonnx, numbers would need its bits.
    const int kind = types_[tensor].tensor_type().elem_type();
    const bool is_half = kind == onnx::TensorProto::FLOAT16 || kind == onnx::TensorProto::BFLOAT16;
    if (!known.values || is_half) return nullptr;
    auto& proto = protos_[tensor];
    if (proto) return &*proto;
    proto.emplace();
    for (const std::int64_t extent : known.shape) proto->add_dims(extent);
    const int type = types_[tensor].tensor_type().elem_type();
    proto->set_data_type(type);
    for (const double value : *known.values) {
      if (type == onnx::TensorProto::INT64) {
        proto->add_int64_data(whole_number(value));
      } else if (type == onnx::TensorProto::FLOAT) {
        proto->add_float_data(static_cast<float>(value));
      } else if (type == onnx::TensorProto::DOUBLE) {
        proto->add_double_data(value);
      } else {
        proto->add_int32_data(static_cast<std::int32_t>(whole_number(value)));
      }
    }
    return &*proto;
  }

  /// The shape that libonnx infers counts first. What the file states is taken only if inference
  /// leaves an extent open.
  Shape output_shape(const onnx::TypeProto& type, const std::string& name, const std::string& who,
                     std::size_t index) {
    const onnx::TypeProto* from = &type;
    const auto has_all = [](const onnx::TypeProto& each) {
      const auto& extents = each.tensor_type().shape().dim();
      return each.has_tensor_type() && each.tensor_type().has_shape() &&
             std::all_of(extents.begin(), extents.end(), [](const auto& extent) {
               return extent.has_dim_value() && extent.dim_value() >= 0;
             });
    };
    const auto stated = stated_.find(name);
    if (!has_all(type) && stated != stated_.end()) from = stated->second;
    Shape shape;
    if (!has_all(*from)) {
      // Of an output that nobody reads, such as a mask of Dropout, nothing has to be known.
      if (index > 0) return {};
      throw InputError(who,
                       fmt::format("its output's extents depend on data, or on an op that "
                                   "libonnx does not know; expected extents that are known "
                                   "before a run: --shape states extents of inputs, --set their "
                                   "numbers"));
    }
    for (const auto& extent : from->tensor_type().shape().dim())
      shape.push_back(extent.dim_value());
    if (std::ssize(shape) > kMaxRank) {
      throw InputError(who, fmt::format("its output has {} extents; expected at most {}",
                                        shape.size(), kMaxRank));
    }
    with_place(who, [&] { return element_count(shape); });
    return shape;
  }

  /// Constants have their numbers in an attribute.
  bool take_constant(const onnx::NodeProto& proto, const OnnxNode& node) {
    const bool fills = node.op == "ConstantOfShape";
    if (node.op != "Constant" && !fills) return false;
    OnnxTensor& out = graph_.tensors[node.output(0)];
    std::vector<double> numbers{0};
    bool is_found = fills;
    for (const auto& attribute : proto.attribute()) {
      std::optional<std::vector<double>> found;
      if (attribute.name() == "value") {
        found = small_numbers(attribute.t());
        if (!found && extents_.keep_numbers) out.numbers = float_numbers(attribute.t());
      }
      if (attribute.name() == "value_int") found = {{static_cast<double>(attribute.i())}};
      if (attribute.name() == "value_float") found = {{static_cast<double>(attribute.f())}};
      if (attribute.name() == "value_ints") {
        found = std::vector<double>(attribute.ints().begin(), attribute.ints().end());
      }
      if (attribute.name() == "value_floats") {
        found = std::vector<double>(attribute.floats().begin(), attribute.floats().end());
      }
      if (!found) continue;
      numbers = std::move(*found);
      is_found = true;
    }
    const std::int64_t count = element_count(out.shape);
    if (fills && count <= kMaxKnownNumbers && numbers.size() == 1) {
      out.values = std::vector<double>(static_cast<std::size_t>(count), numbers[0]);
    } else if (is_found && !fills && static_cast<std::int64_t>(numbers.size()) == count) {
      out.values = std::move(numbers);
    }
    out.is_constant = out.values.has_value();
    out.is_weight = !out.is_constant;
    return true;
  }

  const onnx::ModelProto& model_;
  const OpenExtents& extents_;
  std::map<std::string, int> opsets_;
  std::map<std::string, const onnx::TypeProto*> stated_;
  std::map<std::string, int> index_;
  std::vector<onnx::TypeProto> types_;
  std::vector<std::optional<onnx::TensorProto>> protos_;
  OnnxGraph graph_;
  InputErrors errors_;
};

}  // namespace

OnnxGraph read_graph(const onnx::ModelProto& model, const OpenExtents& extents) {
  return GraphReader(model, extents).read();
}

}  // namespace poet
