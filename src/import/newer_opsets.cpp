// libonnx 1.12 knows opsets up to 17, and would read a later file as one of opset 17 without a
// word. What layers stand for and has changed since (https://onnx.ai/onnx/operators/): axes of
// reductions became an input; Pad and Resize got axes, Split a number of outputs, AveragePool
// dilations, Cast a saturation of types that are not read here; GroupNormalization, Gelu and Mish
// came. Of all other operators, libonnx refuses those that came, and those that got more types mean
// what they did.

#include "import/newer_opsets.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

constexpr int kKnownOpset = 17;
constexpr int kLastOpset = 23;

/// By operator: the opset from which on it is there, or means something else.
const std::map<std::string, int> kChangedIn = {{"AveragePool", 19},
                                               {"Cast", 19},
                                               {"CastLike", 19},
                                               {"Gelu", 20},
                                               {"GroupNormalization", 18},
                                               {"Mish", 18},
                                               {"Pad", 18},
                                               {"ReduceL1", 18},
                                               {"ReduceL2", 18},
                                               {"ReduceLogSum", 18},
                                               {"ReduceLogSumExp", 18},
                                               {"ReduceMax", 18},
                                               {"ReduceMean", 18},
                                               {"ReduceMin", 18},
                                               {"ReduceProd", 18},
                                               {"ReduceSumSquare", 18},
                                               {"Resize", 18},
                                               {"Split", 18}};

/// A node on its way to opset 17.
class OlderNode {
 public:
  OlderNode(const onnx::NodeProto& node, const OnnxGraph& graph, const std::vector<int>& inputs)
      : node_(node), graph_(graph), inputs_(inputs) {}

  std::vector<onnx::NodeProto> nodes();

 private:
  /// An attribute that the node of opset 17 does not have.
  onnx::AttributeProto take(std::string_view name) {
    auto& all = *node_.mutable_attribute();
    const auto found = std::ranges::find(all, name, &onnx::AttributeProto::name);
    if (found == all.end()) return {};
    onnx::AttributeProto taken = *found;
    all.erase(found);
    return taken;
  }

  bool has_input(std::size_t i) const { return i < inputs_.size() && inputs_[i] >= 0; }
  const Shape& shape() const { return graph_.at(inputs_.at(0)).shape; }

  std::vector<double> numbers(std::size_t input) const {
    if (!has_input(input)) return {};
    if (const auto known = graph_.at(inputs_[input]).known()) return *known;
    throw InputError(
        fmt::format("its input {} depends on data; expected numbers of the file", input));
  }

  /// Lets an input be whole numbers, or floats, of a Constant node.
  void set_numbers(int input, const std::vector<double>& numbers, bool are_whole = true) {
    onnx::NodeProto& made = constants_.emplace_back();
    made.set_op_type("Constant");
    made.add_output(fmt::format("{} of {}", input, node_.output(0)));
    onnx::AttributeProto& value = *made.add_attribute();
    value.set_name("value");
    onnx::TensorProto& tensor = *value.mutable_t();
    tensor.set_data_type(are_whole ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT);
    tensor.add_dims(std::ssize(numbers));
    for (const double each : numbers) {
      if (are_whole) tensor.add_int64_data(whole_number(each));
      if (!are_whole) tensor.add_float_data(static_cast<float>(each));
    }
    while (node_.input_size() <= input) node_.add_input();
    node_.set_input(input, made.output(0));
  }

  /// The same of an input with numbers for these axes; `all` has those of the others.
  void spread(int input, const std::vector<double>& axes, std::vector<double> all,
              bool are_whole = true) {
    const std::vector<double> stated = numbers(input);
    if (stated.empty()) return;
    const std::size_t rank = shape().size();
    if (axes.empty() || stated.size() * rank != all.size() * axes.size()) {
      throw InputError(fmt::format("found {} numbers for {} axes in its input {}", stated.size(),
                                   axes.size(), input));
    }
    for (std::size_t i = 0; i < stated.size(); ++i) {
      const std::size_t axis = axis_index(whole_number(axes[i % axes.size()]), shape());
      all[axis + i / axes.size() * rank] = stated[i];
    }
    set_numbers(input, all, are_whole);
  }

  void reduce();
  void split();
  void resize();
  void expect_no_dilations();

  onnx::NodeProto node_;
  const OnnxGraph& graph_;
  const std::vector<int>& inputs_;
  std::vector<onnx::NodeProto> constants_;
};

void OlderNode::reduce() {
  const bool stays = take("noop_with_empty_axes").i() != 0;
  const std::vector<double> axes = numbers(1);
  while (node_.input_size() > 1) node_.mutable_input()->RemoveLast();
  if (!axes.empty()) {
    onnx::AttributeProto& stated = *node_.add_attribute();
    stated.set_name("axes");
    for (const double axis : axes) stated.add_ints(whole_number(axis));
  } else if (stays) {
    node_.set_op_type("Identity");
    node_.clear_attribute();
  }
}

/// The last part is the smallest one.
void OlderNode::split() {
  const std::int64_t parts = take("num_outputs").i();
  if (has_input(1)) return;
  std::int64_t axis = 0;
  for (const auto& each : node_.attribute()) axis = each.i();
  const std::int64_t extent = shape()[axis_index(axis, shape())];
  const std::int64_t each = parts < 1 ? extent : (extent + parts - 1) / parts;
  const std::int64_t last = extent - each * (parts - 1);
  if (parts != node_.output_size() || last < 1) {
    throw InputError(fmt::format("found num_outputs = {} of an extent of {}, and {} outputs", parts,
                                 extent, node_.output_size()));
  }
  std::vector<double> sizes(static_cast<std::size_t>(parts), static_cast<double>(each));
  sizes.back() = static_cast<double>(last);
  set_numbers(1, sizes);
}

void OlderNode::resize() {
  const std::string policy = take("keep_aspect_ratio_policy").s();
  if (take("antialias").i() != 0 || (!policy.empty() && policy != "stretch")) {
    throw InputError("found antialias, or a policy other than stretch; no layer computes either");
  }
  const onnx::AttributeProto axes = take("axes");
  if (axes.ints().empty()) return;
  const std::vector<double> at(axes.ints().begin(), axes.ints().end());
  const std::size_t rank = shape().size();
  std::vector<double> whole(rank, 0);
  whole.resize(2 * rank, 1);
  spread(1, at, whole, false);
  spread(2, at, std::vector<double>(rank, 1), false);
  spread(3, at, {shape().begin(), shape().end()});
}

void OlderNode::expect_no_dilations() {
  const onnx::AttributeProto dilations = take("dilations");
  if (std::ranges::any_of(dilations.ints(), [](std::int64_t each) { return each != 1; })) {
    throw InputError("found dilations; no layer takes a mean of elements that are apart");
  }
}

std::vector<onnx::NodeProto> OlderNode::nodes() {
  const std::string op = node_.op_type();
  if (op.starts_with("Reduce")) reduce();
  if (op == "Split") split();
  if (op == "Resize") resize();
  if (op == "Pad" && has_input(3)) {
    spread(1, numbers(3), std::vector<double>(2 * shape().size(), 0));
    node_.mutable_input()->RemoveLast();
  }
  if (op.starts_with("Cast")) static_cast<void>(take("saturate"));
  if (op == "AveragePool") expect_no_dilations();
  if (op != "GroupNormalization" && op != "Gelu" && op != "Mish") node_.clear_domain();
  constants_.push_back(node_);
  return constants_;
}

}  // namespace

bool is_usual_domain(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx";
}

void mark_newer_ops(onnx::ModelProto& model) {
  model.set_ir_version(std::min<std::int64_t>(model.ir_version(), onnx::IR_VERSION));
  std::int64_t opset = 0;
  for (auto& each : *model.mutable_opset_import()) {
    if (!is_usual_domain(each.domain()) || each.version() <= kKnownOpset) continue;
    opset = each.version();
    each.set_version(kKnownOpset);
  }
  if (opset > kLastOpset) {
    throw InputError(
        fmt::format("found opset {}; expected at most {}, as torch.onnx.export writes "
                    "with opset_version={}",
                    opset, kLastOpset, kKnownOpset));
  }
  for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) {
    if (node.domain() == kNewerDomain) throw InputError("found a domain of the program's own");
    const auto changed = kChangedIn.find(node.op_type());
    if (changed == kChangedIn.end() || changed->second > opset) continue;
    // libonnx, which will not see it, refuses any other.
    const bool has_ends = node.input_size() > 0 && !node.input(0).empty() && node.output_size() > 0;
    if (has_ends && is_usual_domain(node.domain())) node.set_domain(kNewerDomain);
  }
  auto& import = *model.add_opset_import();
  import.set_domain(kNewerDomain);
  import.set_version(opset);
}

std::vector<onnx::NodeProto> in_known_opset(const onnx::NodeProto& node, const OnnxGraph& graph,
                                            const std::vector<int>& inputs) {
  return OlderNode(node, graph, inputs).nodes();
}

}  // namespace poet
