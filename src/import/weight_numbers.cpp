// The numbers of weights follow the forms that an export puts them into, so that a layer has them
// as PyTorch has them. Nothing is computed but places: every bit stays as it is in the file.

#include "import/weight_numbers.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "import/match.hpp"
#include "model/shape.hpp"

namespace poet {
namespace {

using WeightNumbers = std::shared_ptr<const std::vector<float>>;
using Places = std::vector<std::int64_t>;

/// The distance of two neighbours along each axis.
Places strides_of(const Shape& shape) {
  Places strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Every element of `out`: it lies at `start` and so many elements further for each step along its
/// axes.
std::vector<float> gathered(const std::vector<float>& from, const Shape& out, std::int64_t start,
                            const Places& strides) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(element_count(out)));
  Places at(out.size(), 0);
  for (std::int64_t i = element_count(out); i-- > 0;) {
    const std::int64_t place = std::inner_product(at.begin(), at.end(), strides.begin(), start);
    values.push_back(from.at(static_cast<std::size_t>(place)));
    for (std::size_t axis = out.size(); axis-- > 0;) {
      if (++at[axis] < out[axis]) break;
      at[axis] = 0;
    }
  }
  return values;
}

std::vector<float> permuted_numbers(const OnnxGraph& graph, const OnnxNode& node,
                                    const std::vector<float>& from) {
  const Shape& in = graph.at(node.input(0)).shape;
  Places order = node.integers("perm");
  if (order.empty()) {
    order.resize(in.size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  const Places strides = strides_of(in);
  Places moved;
  for (const std::int64_t axis : order) moved.push_back(strides.at(static_cast<std::size_t>(axis)));
  return gathered(from, graph.at(node.output(0)).shape, 0, moved);
}

/// A part of neighbours.
std::optional<std::vector<float>> numbers_of_part(const OnnxGraph& graph, const OnnxNode& node,
                                                  const std::vector<float>& from) {
  const Shape& in = graph.at(node.input(0)).shape;
  const Places starts = whole_numbers(graph, node, 1, "starts");
  Places axes = whole_numbers(graph, node, 3, "axes");
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (starts.empty() || starts.size() != axes.size() || !are_all(graph, node, 4, "steps", 1)) {
    return std::nullopt;
  }
  const Places strides = strides_of(in);
  std::int64_t start = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axis_index(axes[i], in);
    const std::int64_t first = starts[i] < 0 ? starts[i] + in[axis] : starts[i];
    start += std::clamp<std::int64_t>(first, 0, in[axis]) * strides[axis];
  }
  const Shape& out = graph.at(node.output(0)).shape;
  if (element_count(out) == 0) return std::nullopt;
  return gathered(from, out, start, strides);
}

/// Several weights along an axis.
std::optional<std::vector<float>> joined_numbers(const OnnxGraph& graph, const OnnxNode& node) {
  const Shape& out = graph.at(node.output(0)).shape;
  const std::size_t axis = axis_index(node.integer("axis", 0), out);
  const std::int64_t blocks = element_count(Shape(out.begin(), out.begin() + std::ptrdiff_t(axis)));
  std::vector<float> values;
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (const int tensor : node.inputs) {
      if (tensor < 0 || !graph.at(tensor).numbers) return std::nullopt;
      const std::vector<float>& part = *graph.at(tensor).numbers;
      const auto each = static_cast<std::ptrdiff_t>(part.size()) / blocks;
      const auto first = part.begin() + block * each;
      values.insert(values.end(), first, first + each);
    }
  }
  return values;
}

}  // namespace

WeightNumbers numbers_of_form(const OnnxGraph& graph, const OnnxNode& node) {
  const WeightNumbers& from = graph.at(node.input(0)).numbers;
  if (!from) return nullptr;
  const std::string& op = node.op;
  const bool is_same = op == "Reshape" || op == "Unsqueeze" || op == "Squeeze" ||
                       op == "Identity" || (op == "Cast" && !graph.at(node.output(0)).is_integer);
  if (is_same) return from;
  std::optional<std::vector<float>> made;
  if (op == "Transpose") made = permuted_numbers(graph, node, *from);
  if (op == "Slice") made = numbers_of_part(graph, node, *from);
  if (op == "Concat") made = joined_numbers(graph, node);
  const auto count = static_cast<std::size_t>(element_count(graph.at(node.output(0)).shape));
  if (!made || made->size() != count) return nullptr;
  return std::make_shared<const std::vector<float>>(std::move(*made));
}

std::vector<float> transposed_matrix(const std::vector<float>& values, std::int64_t rows,
                                     std::int64_t columns) {
  return gathered(values, {columns, rows}, 0, {1, columns});
}

}  // namespace poet
