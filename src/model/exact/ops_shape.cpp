#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/exact/exact_ops.hpp"
#include "poet/error.hpp"

// Ops that compute nothing. A copy costs one FLOP an element, a view nothing at all. A view makes
// no node, so that a `flatten` before a classifier takes no RAM, and a tensor that is read in two
// shapes is still one tensor.
namespace poet::exact {
namespace {

// The gradient fills all of X, also if the copy took a part of it: the rest gets zeros.
ExactLayer copy(const Shape& in, Shape out, std::int64_t gradient_flop) {
  const std::int64_t flop = element_count(out);
  return {.nodes = {{.suffix = "", .shape = std::move(out), .flop = flop, .reads = {ref::x()}}},
          .steps = {{.shape = in, .flop = gradient_flop, .reads = {ref::dy()}}}};
}

ExactLayer view(Shape shape) {
  return {.nodes = {}, .view = std::move(shape)};
}

}  // namespace

// Y = the inputs one after the other along `axis`; an input of batch 1, such as a learned token, is
// repeated for each sample;  flop = |Y|;  gX of each: dY; the elements of dY that are its own
ExactLayer concat(const LayerCall& call) {
  const Shape& first = call.input();
  const std::size_t axis = axis_index(call.value("axis"), first);
  ForwardNode out{.suffix = "", .shape = first, .reads = {}};
  if (axis > 0) {
    for (const Shape& in : call.inputs) out.shape[0] = std::max(out.shape[0], in.front());
  }
  out.shape[axis] = 0;
  std::vector<GradientStep> steps;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    Shape part = out.shape;
    if (call.inputs[i].size() == part.size()) part[axis] = call.inputs[i][axis];
    Shape repeated = call.inputs[i];
    if (axis > 0 && repeated[0] == 1) repeated[0] = out.shape[0];
    if (repeated != part) {
      throw InputError(
          fmt::format("the inputs' shapes are {} and {}, expected equal extents beside axis {}",
                      shape_text(first), shape_text(call.inputs[i]), axis));
    }
    out.shape[axis] = checked_sum({out.shape[axis], part[axis]});
    out.reads.push_back(ref::x(static_cast<int>(i)));
    steps.push_back({.index = static_cast<int>(i),
                     .shape = call.inputs[i],
                     .flop = element_count(part),
                     .reads = {ref::dy()}});
  }
  out.flop = element_count(out.shape);
  return {.nodes = {std::move(out)}, .steps = std::move(steps)};
}

// Y_i = `sizes` i of X along `axis`, a node each;  flop = |Y_i|;  gX: all dY_i; |X|
ExactLayer split(const LayerCall& call) {
  const Shape& in = call.input();
  const std::size_t axis = axis_index(call.value("axis"), in);
  const std::vector<std::int64_t>& sizes = call.list("sizes");
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) sum = checked_sum({sum, size});
  if (sum != in[axis]) {
    throw InputError(fmt::format("the sizes add up to {}, expected the {} of axis {} of {}", sum,
                                 in[axis], axis, shape_text(in)));
  }
  ExactLayer layer;
  GradientStep step{.shape = in, .flop = element_count(in), .reads = {}};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Shape part = in;
    part[axis] = sizes[i];
    const std::int64_t flop = element_count(part);
    layer.nodes.push_back({.suffix = fmt::format("{}", i),
                           .shape = std::move(part),
                           .flop = flop,
                           .reads = {ref::x()},
                           .is_readable = true});
    step.reads.push_back(ref::dy(static_cast<int>(i)));
  }
  layer.steps.push_back(std::move(step));
  return layer;
}

// Y = X from `start`, `size` long, along `axis`;  flop = |Y|;  gX: dY; |X|, with zeros around
ExactLayer slice(const LayerCall& call) {
  const Shape& in = call.input();
  const std::size_t axis = axis_index(call.value("axis"), in);
  const std::int64_t start = call.value("start");
  Shape out = in;
  out[axis] = call.value("size");
  if (checked_sum({start, out[axis]}) > in[axis]) {
    throw InputError(fmt::format("{} elements from {} on along axis {} of {}, expected at most {}",
                                 out[axis], start, axis, shape_text(in), in[axis]));
  }
  return copy(in, std::move(out), element_count(in));
}

// Y = X with its extents in another order;  flop = |Y|;  gX: dY; |Y|
ExactLayer permute(const LayerCall& call) {
  const Shape& in = call.input();
  const std::vector<std::int64_t>& order = call.list("order");
  std::vector<std::int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool is_permutation = order.size() == in.size();
  for (std::size_t i = 0; is_permutation && i < sorted.size(); ++i) {
    is_permutation = sorted[i] == static_cast<std::int64_t>(i);
  }
  if (!is_permutation) {
    throw InputError(fmt::format("the order is [{}], expected each of 0 to {} once for {}",
                                 fmt::join(order, ", "), in.size() - 1, shape_text(in)));
  }
  Shape out;
  for (const std::int64_t axis : order) out.push_back(in[static_cast<std::size_t>(axis)]);
  return copy(in, std::move(out), element_count(in));
}

// Y = N, |X| / N, a view
ExactLayer flatten(const LayerCall& call) {
  const Shape& in = call.input();
  return view({in[0], element_count(in) / in[0]});
}

// Y = `shape`, a view
ExactLayer reshape(const LayerCall& call) {
  Shape shape = call.shape("shape");
  if (element_count(shape) != element_count(call.input())) {
    throw InputError(fmt::format("the shape is {}, expected the {} elements of {}",
                                 shape_text(shape), element_count(call.input()),
                                 shape_text(call.input())));
  }
  return view(std::move(shape));
}

// Y = X, a view
ExactLayer identity(const LayerCall& call) {
  return view(call.input());
}

}  // namespace poet::exact
