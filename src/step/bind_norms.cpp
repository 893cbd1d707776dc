// Normalisations. One kernel serves layer_norm and group_norm: both average over groups of elements
// of one sample, and differ in whether gamma is by element or by channel. The statistics are no
// tensor of the graph; each gradient computes them again.

#include "step/kernels.hpp"
#include "step/layer_node.hpp"

namespace poet {

// A frozen norm scales by constants, so that its gradient does not read the input.
Calls bind_batch_norm(const LayerNode& node) {
  const Shape& x = node.x();
  const double momentum = node.attribute("momentum").number;
  const poet_batch_norm_spec spec{.batch = narrow(x[0]),
                                  .channels = narrow(x[1]),
                                  .plane = product(x, 2, x.size()),
                                  .epsilon = node.number("epsilon"),
                                  .keep = static_cast<poet_real>(1 - momentum),
                                  .take = static_cast<poet_real>(momentum)};
  const bool is_frozen = node.flag("frozen");
  if (node.evaluates() && !is_frozen) {
    return {
        call(kKernelOf<poet_running_norm>, spec,
             {node.in(0), node.weight(), node.bias(), node.running(false), node.running(true)})};
  }
  if (node.is_forward()) {
    return {call(is_frozen ? kKernelOf<poet_frozen_norm> : kKernelOf<poet_batch_norm>, spec,
                 {node.in(0), node.weight(), node.bias()})};
  }
  if (is_frozen) return {call(kKernelOf<poet_frozen_norm_grad>, spec, {node.in(0), node.weight()})};
  const std::optional<int> part = node.trained_part();
  if (node.reads_bytes(0)) {
    return {call(!part        ? kKernelOf<poet_batch_norm_grad_of_bytes>
                 : *part == 0 ? kKernelOf<poet_batch_norm_grad_gamma_of_bytes>
                              : kKernelOf<poet_batch_norm_grad_beta_of_bytes>,
                 {spec, node.copy(0)}, {node.in(0), node.in(1), node.weight(), node.tile()})};
  }
  const TypedKernel<poet_batch_norm_spec> gradient = !part ? kKernelOf<poet_batch_norm_grad>
                                                     : *part == 0
                                                         ? kKernelOf<poet_batch_norm_grad_gamma>
                                                         : kKernelOf<poet_batch_norm_grad_beta>;
  return {call(gradient, spec, {node.in(0), node.in(1), node.weight()})};
}

// A layer norm is a group norm with one group, in which each element is a channel.
Calls bind_group_norm(const LayerNode& node) {
  const Shape& x = node.x();
  poet_group_norm_spec spec{.has_bias = node.has_bias() ? 1 : 0, .epsilon = node.number("epsilon")};
  if (node.op() == "layer_norm") {
    const std::size_t first = x.size() - static_cast<std::size_t>(node.value("dims"));
    spec.samples = product(x, 0, first);
    spec.groups = 1;
    spec.channels = product(x, first, x.size());
    spec.plane = 1;
  } else {
    spec.samples = narrow(x[0]);
    spec.groups = node.value("groups");
    spec.channels = narrow(x[1]) / spec.groups;
    spec.plane = product(x, 2, x.size());
  }
  if (node.is_forward()) {
    return {call(kKernelOf<poet_group_norm>, spec, {node.in(0), node.weight(), node.bias()})};
  }
  if (node.reads_bytes(0)) {
    return {call(kKernelOf<poet_group_norm_grad_of_bytes>, {spec, node.copy(0)},
                 {node.in(0), node.in(1), node.weight(), node.tile()})};
  }
  return {call(kKernelOf<poet_group_norm_grad>, spec, {node.in(0), node.in(1), node.weight()})};
}

}  // namespace poet
