// Sums and products of two tensors with broadcasting, means, and ops that only copy. Broadcasts,
// means and permutations are strides: a kernel that walks each tensor with strides of its own
// serves all of them. Concat, split and slice are parts along an axis.

#include <array>

#include "model/shape.hpp"
#include "step/kernels.hpp"
#include "step/layer_node.hpp"

namespace poet {
namespace {

constexpr std::size_t kKernelExtents = 4;

/// Extents with two strides each, as the kernels have them.
/// Neighbouring extents merge if both sides go on without a gap, so that tensors of eight extents
/// mostly fit into the four of the kernels.
struct Strided {
  Shape extent;
  std::array<Shape, 2> stride;

  void add(std::int64_t new_extent, std::int64_t first, std::int64_t second) {
    if (new_extent == 1) return;
    if (!extent.empty() && stride[0].back() == first * new_extent &&
        stride[1].back() == second * new_extent) {
      extent.back() *= new_extent;
      stride[0].back() = first;
      stride[1].back() = second;
      return;
    }
    extent.push_back(new_extent);
    stride[0].push_back(first);
    stride[1].push_back(second);
  }

  void write(std::int32_t* extents, std::int32_t* first, std::int32_t* second) const {
    if (extent.size() > kKernelExtents) {
      throw InputError("the kernel has no more than 4 extents, and these do not merge into them");
    }
    const std::size_t shift = kKernelExtents - extent.size();
    for (std::size_t i = 0; i < kKernelExtents; ++i) {
      const bool is_filler = i < shift;
      extents[i] = is_filler ? 1 : narrow(extent[i - shift]);
      first[i] = is_filler ? 0 : narrow(stride[0][i - shift]);
      if (second != nullptr) second[i] = is_filler ? 0 : narrow(stride[1][i - shift]);
    }
  }
};

/// Of a dense tensor.
Shape strides_of(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Strides of a side along the extents of the result, from the last one: 0 where it is repeated.
/// NumPy's rule: shapes are aligned at their last extents, and an extent of 1 is repeated.
Shape side_strides(const Shape& side, const Shape& result) {
  const Shape dense = strides_of(side);
  Shape strides(result.size(), 0);
  for (std::size_t i = 0; i < side.size(); ++i) {
    const std::size_t at = result.size() - side.size() + i;
    strides[at] = side[i] == 1 && result[at] != 1 ? 0 : dense[i];
  }
  return strides;
}

bool repeats_channels(const LayerNode& node) {
  return node.op() == "add" && node.flag("broadcast_channels") && node.x(0).size() > 1 &&
         node.x(0).size() == node.x(1).size() && node.x(1)[1] != 1 && node.x(1)[1] != node.x(0)[1];
}

// Four extents hold every broadcast whose repeated extents lie together, which is nearly every one.
poet_broadcast_spec broadcast_spec(const LayerNode& node) {
  Strided strided;
  if (repeats_channels(node)) {
    // The channels of the narrow side come again and again: an extent of their own.
    const std::int64_t narrow_channels = node.x(1)[1];
    const std::int64_t plane = product(node.y(), 2, node.y().size());
    const std::int64_t repeats = node.y()[1] / narrow_channels;
    strided.add(node.y()[0], node.y()[1] * plane, narrow_channels * plane);
    strided.add(repeats, narrow_channels * plane, 0);
    strided.add(narrow_channels * plane, 1, 1);
  } else {
    const Shape a = side_strides(node.x(0), node.y());
    const Shape b = side_strides(node.x(1), node.y());
    for (std::size_t i = 0; i < a.size(); ++i) strided.add(node.y()[i], a[i], b[i]);
  }
  poet_broadcast_spec spec{};
  strided.write(spec.extent, spec.stride_a, spec.stride_b);
  return spec;
}

/// A part of a tensor along an axis, from `start` on.
/// Extents before the axis and behind it are one number each, however many there are.
poet_part_spec part_spec(const Shape& whole, const Shape& part, std::size_t axis,
                         std::int64_t start) {
  return {.outer = product(whole, 0, axis),
          .axis = narrow(whole[axis]),
          .inner = product(whole, axis + 1, whole.size()),
          .start = narrow(start),
          .size = narrow(part[axis]),
          .part_outer = product(part, 0, axis)};
}

}  // namespace

// Steps: add and sub have the first side's gradient first, mul and div the second side's.
Calls bind_broadcast(const LayerNode& node) {
  struct Family {
    TypedKernel<poet_broadcast_spec> forward, first_step, second_step;
  };
  const std::string_view op = node.op();
  const Family family =
      op == "add"
          ? Family{kKernelOf<poet_add>, kKernelOf<poet_add_grad_a>, kKernelOf<poet_add_grad_b>}
      : op == "sub"
          ? Family{kKernelOf<poet_sub>, kKernelOf<poet_sub_grad_a>, kKernelOf<poet_sub_grad_b>}
      : op == "mul"
          ? Family{kKernelOf<poet_mul>, kKernelOf<poet_mul_grad_b>, kKernelOf<poet_mul_grad_a>}
          : Family{kKernelOf<poet_div>, kKernelOf<poet_div_grad_b>, kKernelOf<poet_div_grad_a>};
  return {call(node.is_forward()  ? family.forward
               : node.step() == 0 ? family.first_step
                                  : family.second_step,
               broadcast_spec(node), node.all())};
}

/// As the second side of a sum that is repeated over all extents but its own: channels of images
/// and signals, or the last extents.
Calls bind_bias_gradient(const LayerNode& node) {
  const Shape& y = node.summed_shape();
  const bool is_by_channel = node.op().starts_with("conv") || node.op() == "group_norm";
  const std::int32_t plane = is_by_channel ? product(y, 2, y.size()) : 1;
  const std::int32_t own = count_of(node.bias_shape());
  const poet_broadcast_spec spec{.extent = {1, count_of(y) / (own * plane), own, plane},
                                 .stride_a = {0, 0, 0, 0},
                                 .stride_b = {0, 0, 1, 0}};
  return {call(kKernelOf<poet_add_grad_b>, spec, {node.all().back()})};
}

/// A mean is a broadcast the other way round: along what it averages, its output has strides of 0.
Calls bind_mean(const LayerNode& node) {
  const Shape& x = node.x();
  std::vector<bool> is_mean(x.size(), node.op() == "global_avg_pool");
  if (node.op() == "global_avg_pool") {
    is_mean[0] = is_mean[1] = false;
  } else {
    for (const std::int64_t axis : node.attribute("axes").list) is_mean[axis_index(axis, x)] = true;
  }
  Shape kept = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_mean[i]) kept[i] = 1;
  }
  const Shape dense = strides_of(x);
  const Shape strides = side_strides(kept, x);
  Strided strided;
  for (std::size_t i = 0; i < x.size(); ++i) strided.add(x[i], strides[i], dense[i]);
  poet_mean_spec spec{};
  strided.write(spec.extent, spec.stride, nullptr);
  return {
      call(node.is_forward() ? kKernelOf<poet_mean> : kKernelOf<poet_mean_grad>, spec, node.all())};
}

/// A call for each input, as no kernel takes any number of operands.
Calls bind_concat(const LayerNode& node) {
  const std::size_t axis = axis_index(node.attribute("axis").height, node.x());
  Calls calls;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const poet_part_spec part = part_spec(node.y(), node.x(i), axis, start);
    start += node.x(i)[axis];
    if (node.is_forward()) calls.push_back(call(kKernelOf<poet_insert>, part, {node.in(i)}));
    if (!node.is_forward() && node.step() == static_cast<int>(i)) {
      return {call(kKernelOf<poet_concat_grad>, part, node.all())};
    }
  }
  return calls;
}

// A part that nothing reads has no gradient.
Calls bind_split(const LayerNode& node) {
  const Shape& x = node.x();
  const std::size_t axis = axis_index(node.attribute("axis").height, x);
  const std::vector<std::int64_t>& sizes = node.attribute("sizes").list;
  Calls calls;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const poet_part_spec part = part_spec(x, node.y(i), axis, start);
    start += sizes[i];
    if (node.is_forward()) {
      if (node.output() == static_cast<int>(i))
        return {call(kKernelOf<poet_extract>, part, node.all())};
    } else if (node.in(i).kind == OperandSource::Kind::none) {
      calls.push_back(call(kKernelOf<poet_insert_zeros>, part, {}));
    } else {
      calls.push_back(call(kKernelOf<poet_insert>, part, {node.in(i)}));
    }
  }
  return calls;
}

Calls bind_slice(const LayerNode& node) {
  const std::size_t axis = axis_index(node.attribute("axis").height, node.x());
  const poet_part_spec part = part_spec(node.x(), node.y(), axis, node.value("start"));
  return {call(node.is_forward() ? kKernelOf<poet_extract> : kKernelOf<poet_slice_grad>, part,
               node.all())};
}

Calls bind_permute(const LayerNode& node) {
  const Shape in = strides_of(node.x());
  const Shape out = strides_of(node.y());
  const std::vector<std::int64_t>& order = node.attribute("order").list;
  Strided strided;
  for (std::size_t i = 0; i < order.size(); ++i) {
    strided.add(node.y()[i], in[order[i]], out[i]);
  }
  poet_permute_spec spec{};
  strided.write(spec.extent, spec.stride, nullptr);
  return {call(node.is_forward() ? kKernelOf<poet_permute> : kKernelOf<poet_permute_grad>, spec,
               node.all())};
}

}  // namespace poet
