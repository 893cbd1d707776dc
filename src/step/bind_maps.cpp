// What works element by element or row by row: activations, softmax, dropout, losses. Whether a
// gradient reads the input or the output of an activation is in its formula, so that both are
// simply the operands in order.

#include <map>

#include "model/shape.hpp"
#include "step/kernels.hpp"
#include "step/layer_node.hpp"

namespace poet {
namespace {

/// Only leaky_relu and elu read their slope. The others keep the number that exported plans had, so
/// that a plan of the same model is the same text.
constexpr poet_real kUnusedSlope = 0.01F;

struct MapKernels {
  TypedKernel<poet_map_spec> forward, gradient;
  TypedKernel<poet_map_copy_spec> of_bytes;
};

// Functions without parameters of their own; leaky_relu alone reads the slope.
const std::map<std::string_view, MapKernels>& map_kernels() {
  static const std::map<std::string_view, MapKernels> table = {
      {"relu",
       {kKernelOf<poet_relu>, kKernelOf<poet_relu_grad>, kKernelOf<poet_relu_grad_of_bytes>}},
      {"relu6",
       {kKernelOf<poet_relu6>, kKernelOf<poet_relu6_grad>, kKernelOf<poet_relu6_grad_of_bytes>}},
      {"leaky_relu",
       {kKernelOf<poet_leaky_relu>, kKernelOf<poet_leaky_relu_grad>,
        kKernelOf<poet_leaky_relu_grad_of_bytes>}},
      {"sigmoid",
       {kKernelOf<poet_sigmoid>, kKernelOf<poet_sigmoid_grad>,
        kKernelOf<poet_sigmoid_grad_of_bytes>}},
      {"tanh",
       {kKernelOf<poet_tanh>, kKernelOf<poet_tanh_grad>, kKernelOf<poet_tanh_grad_of_bytes>}},
      {"hard_sigmoid",
       {kKernelOf<poet_hard_sigmoid>, kKernelOf<poet_hard_sigmoid_grad>,
        kKernelOf<poet_hard_sigmoid_grad_of_bytes>}},
      {"hard_swish",
       {kKernelOf<poet_hard_swish>, kKernelOf<poet_hard_swish_grad>,
        kKernelOf<poet_hard_swish_grad_of_bytes>}},
      {"silu",
       {kKernelOf<poet_silu>, kKernelOf<poet_silu_grad>, kKernelOf<poet_silu_grad_of_bytes>}},
      {"gelu",
       {kKernelOf<poet_gelu>, kKernelOf<poet_gelu_grad>, kKernelOf<poet_gelu_grad_of_bytes>}},
      {"elu", {kKernelOf<poet_elu>, kKernelOf<poet_elu_grad>, kKernelOf<poet_elu_grad_of_bytes>}}};
  return table;
}

bool is_rectifier(std::string_view op) {
  return op == "relu" || op == "relu6" || op == "leaky_relu";
}

}  // namespace

Calls bind_map(const LayerNode& node) {
  if (is_rectifier(node.op()) && node.flag("mask")) {
    throw InputError("there is no kernel for \"mask\": true; expected false");
  }
  const poet_real slope = node.op() == "leaky_relu" ? node.number("slope")
                          : node.op() == "elu"      ? node.number("alpha")
                                                    : kUnusedSlope;
  const poet_map_spec spec{.count = count_of(node.y()), .slope = slope};
  const MapKernels& found = map_kernels().at(node.op());
  if (!node.is_forward() && node.reads_bytes(0)) {
    return {call(found.of_bytes, {spec, node.copy(0)}, node.all())};
  }
  if (!node.is_forward() && node.reads_bits(0)) {
    return {call(node.op() == "leaky_relu" ? kKernelOf<poet_leaky_relu_grad_of_bits>
                                           : kKernelOf<poet_relu_grad_of_bits>,
                 spec, node.all())};
  }
  return {call(node.is_forward() ? found.forward : found.gradient, spec, node.all())};
}

// Without "per_channel", all elements are of one channel.
Calls bind_prelu(const LayerNode& node) {
  const Shape& x = node.x();
  const bool is_per_channel = node.flag("per_channel");
  const poet_prelu_spec spec{.outer = is_per_channel ? narrow(x[0]) : 1,
                             .channels = is_per_channel ? narrow(x[1]) : 1,
                             .inner = is_per_channel ? product(x, 2, x.size()) : count_of(x)};
  if (node.is_forward()) return {call(kKernelOf<poet_prelu>, spec, {node.in(0), node.weight()})};
  if (node.step() == 0) return {call(kKernelOf<poet_prelu_gradw>, spec, node.all())};
  return {call(kKernelOf<poet_prelu_grad>, spec, {node.in(0), node.in(1), node.weight()})};
}

Calls bind_softplus(const LayerNode& node) {
  const poet_softplus_spec spec{.count = count_of(node.y()),
                                .beta = node.number("beta"),
                                .threshold = node.number("threshold")};
  return {call(node.is_forward() ? kKernelOf<poet_softplus> : kKernelOf<poet_softplus_grad>, spec,
               node.all())};
}

Calls bind_softmax(const LayerNode& node) {
  const Shape& x = node.x();
  const std::size_t axis = axis_index(node.attribute("axis").height, x);
  const poet_softmax_spec spec{.outer = product(x, 0, axis),
                               .axis = narrow(x[axis]),
                               .inner = product(x, axis + 1, x.size())};
  if (node.op() == "log_softmax") {
    return {call(node.is_forward() ? kKernelOf<poet_log_softmax> : kKernelOf<poet_log_softmax_grad>,
                 spec, node.all())};
  }
  return {call(node.is_forward() ? kKernelOf<poet_softmax> : kKernelOf<poet_softmax_grad>, spec,
               node.all())};
}

// seed_dropout() sets the seeds. The layer is what tells two layers of one step apart.
Calls bind_dropout(const LayerNode& node) {
  const Shape& x = node.x();
  if (node.evaluates()) {
    return {call(kKernelOf<poet_copy>, poet_map_spec{.count = count_of(x), .slope = kUnusedSlope},
                 node.all())};
  }
  const bool is_by_sample = node.op() == "stochastic_depth";
  const poet_dropout_spec spec{.count = count_of(x),
                               .block = is_by_sample ? product(x, 1, x.size()) : 1,
                               .rate = node.number("rate"),
                               .seed = {static_cast<std::uint32_t>(node.layer()), 0}};
  return {call(node.is_forward() ? kKernelOf<poet_dropout> : kKernelOf<poet_dropout_grad>, spec,
               node.all())};
}

// A loss that names no target is compared with one of its own, which lies outside the graph.
Calls bind_loss(const LayerNode& node) {
  std::vector<OperandSource> in = node.all();
  if (node.input_count() == 1) in.insert(in.begin() + 1, node.own_target());
  const Shape& x = node.x();
  if (node.op() == "mse") {
    const poet_map_spec spec{.count = count_of(x), .slope = 0};
    return {call(node.is_forward() ? kKernelOf<poet_mse> : kKernelOf<poet_mse_grad>, spec,
                 std::move(in))};
  }
  const std::int32_t classes = narrow(x.back());
  const poet_cross_entropy_spec spec{.rows = count_of(x) / classes, .classes = classes};
  return {
      call(node.is_forward() ? kKernelOf<poet_cross_entropy> : kKernelOf<poet_cross_entropy_grad>,
           spec, std::move(in))};
}

}  // namespace poet
