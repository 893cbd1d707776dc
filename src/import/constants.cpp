// The arithmetic on shapes and masks that an export leaves in its graph. Numbers of every type are
// doubles here, in which extents stay exact up to 2^53. An op that is not in this file causes no
// error here. Its node stays, and is refused later if no layer stands for it. Tensors of more than
// a million numbers are left alone, as masks have fewer and weights need not be known. Each op is
// computed in the plainest way, element by element: all of it is small.

#include "import/constants.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "model/shape.hpp"

namespace poet {
namespace {

using Numbers = std::vector<double>;
using Binary = double (*)(double, double);

/// The place of an element in a tensor that is repeated to `shape`, for its place in `shape`.
std::size_t broadcast_place(std::int64_t place, const Shape& shape, const Shape& small) {
  std::int64_t result = 0;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t extent = shape[shape.size() - 1 - i];
    const std::int64_t at = place % extent;
    place /= extent;
    if (i >= small.size()) continue;
    const std::int64_t own = small[small.size() - 1 - i];
    if (own != 1) result += at * stride;
    stride *= own;
  }
  return static_cast<std::size_t>(result);
}

/// ONNX rounds a quotient of integers towards zero.
Binary binary_of(const std::string& op, bool is_integer) {
  if (op == "Add") return [](double a, double b) { return a + b; };
  if (op == "Sub") return [](double a, double b) { return a - b; };
  if (op == "Mul") return [](double a, double b) { return a * b; };
  if (op == "Div" && is_integer) {
    return [](double a, double b) { return b == 0 ? 0 : std::trunc(a / b); };
  }
  if (op == "Div") return [](double a, double b) { return a / b; };
  if (op == "Mod") return [](double a, double b) { return b == 0 ? 0 : a - b * std::floor(a / b); };
  if (op == "Pow") return [](double a, double b) { return std::pow(a, b); };
  if (op == "Equal") return [](double a, double b) { return a == b ? 1.0 : 0.0; };
  if (op == "Less") return [](double a, double b) { return a < b ? 1.0 : 0.0; };
  if (op == "LessOrEqual") return [](double a, double b) { return a <= b ? 1.0 : 0.0; };
  if (op == "Greater") return [](double a, double b) { return a > b ? 1.0 : 0.0; };
  if (op == "GreaterOrEqual") return [](double a, double b) { return a >= b ? 1.0 : 0.0; };
  if (op == "And") return [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; };
  if (op == "Or") return [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; };
  if (op == "Min") return [](double a, double b) { return std::min(a, b); };
  if (op == "Max") return [](double a, double b) { return std::max(a, b); };
  return nullptr;
}

double (*unary_of(const std::string& op))(double) {
  if (op == "Neg") return [](double a) { return -a; };
  if (op == "Not") return [](double a) { return a == 0 ? 1.0 : 0.0; };
  if (op == "Floor") return [](double a) { return std::floor(a); };
  if (op == "Ceil") return [](double a) { return std::ceil(a); };
  if (op == "Sqrt") return [](double a) { return std::sqrt(a); };
  if (op == "Reciprocal") return [](double a) { return 1 / a; };
  if (op == "Abs") return [](double a) { return std::fabs(a); };
  return nullptr;
}

// Numbers are kept in the order in which they lie, so another shape changes none of them.
bool keeps_numbers(const std::string& op) {
  return op == "Identity" || op == "Unsqueeze" || op == "Squeeze" || op == "Reshape" ||
         op == "Flatten";
}

/// The arithmetic of one node.
class Folding {
 public:
  Folding(const OnnxGraph& graph, const OnnxNode& node)
      : graph_(graph),
        node_(node),
        out_(graph.at(node.output(0))),
        count_(element_count(out_.shape)) {}

  /// The numbers, or none if the op is not one of these.
  /// Shape and Size ask for a shape alone, which is known of data too; all else needs every number.
  std::optional<Numbers> numbers() {
    const std::string& op = node_.op;
    if (op == "Shape") return shape();
    if (op == "Size")
      return Numbers{static_cast<double>(element_count(graph_.at(node_.input(0)).shape))};
    if (!take_all()) return std::nullopt;
    if (op == "Cast") return cast();
    if (keeps_numbers(op)) return in(0);
    if (op == "Concat") return concat();
    if (op == "Gather") return gather();
    if (op == "Slice") return slice();
    if (op == "Transpose") return transpose();
    if (op == "Range") return range();
    if (op == "Where") return where();
    if (op == "Expand") return expand();
    if (op == "Trilu") return triangle();
    if (op == "ReduceProd") return reduce_product();
    if (const auto unary = unary_of(op)) {
      Numbers result = in(0);
      for (double& value : result) value = unary(value);
      return result;
    }
    const Binary binary = binary_of(op, graph_.at(node_.input(0)).is_integer);
    return binary != nullptr && node_.inputs.size() == 2 ? std::optional(elementwise(binary))
                                                         : std::nullopt;
  }

 private:
  /// Takes the numbers of all inputs, if they are known.
  bool take_all() {
    if (node_.inputs.empty() || node_.input(0) < 0) return false;
    for (const int tensor : node_.inputs) {
      const bool is_large =
          tensor >= 0 && element_count(graph_.at(tensor).shape) > kMaxKnownNumbers;
      const auto known = tensor < 0 || is_large ? std::nullopt : graph_.at(tensor).known();
      if (tensor >= 0 && !known) return false;
      in_.push_back(known.value_or(Numbers{}));
    }
    return true;
  }
  const Numbers& in(std::size_t i) const { return in_.at(i); }
  const Shape& shape_of(std::size_t i) const { return graph_.at(node_.inputs.at(i)).shape; }
  std::size_t from(std::int64_t place, std::size_t input) const {
    return broadcast_place(place, out_.shape, shape_of(input));
  }

  Numbers shape() const {
    const Shape& shape = graph_.at(node_.input(0)).shape;
    Numbers all(shape.begin(), shape.end());
    const auto size = static_cast<std::int64_t>(all.size());
    const auto limit = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
    };
    const std::int64_t start = limit(node_.integer("start", 0));
    const std::int64_t end = std::max(start, limit(node_.integer("end", size)));
    return {all.begin() + start, all.begin() + end};
  }

  Numbers cast() const {
    Numbers result = in(0);
    if (out_.is_integer) {
      for (double& value : result) value = std::trunc(value);
    }
    return result;
  }

  /// Lists of extents have one axis. So this and the next fold no tensors of more axes.
  std::optional<Numbers> concat() const {
    if (out_.shape.size() != 1) return std::nullopt;
    Numbers result;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      result.insert(result.end(), in(i).begin(), in(i).end());
    }
    return result;
  }

  std::optional<Numbers> gather() const {
    const Numbers& data = in(0);
    if (shape_of(0).size() != 1) return std::nullopt;
    Numbers result;
    for (double index : in(1)) {
      if (index < 0) index += static_cast<double>(data.size());
      if (!(index >= 0 && index < static_cast<double>(data.size()))) return std::nullopt;
      result.push_back(data[static_cast<std::size_t>(index)]);
    }
    return result;
  }

  /// The numbers at a first place of the input, and so many places apart along each axis.
  std::optional<Numbers> strided(std::int64_t first, const std::vector<std::int64_t>& steps) const {
    Numbers result;
    for (std::int64_t i = 0; i < count_; ++i) {
      std::int64_t from = first;
      std::int64_t place = i;
      for (std::size_t axis = steps.size(); axis-- > 0;) {
        from += place % out_.shape[axis] * steps[axis];
        place /= out_.shape[axis];
      }
      if (from < 0 || from >= std::ssize(in(0))) return std::nullopt;
      result.push_back(in(0)[static_cast<std::size_t>(from)]);
    }
    return result;
  }

  /// How far apart elements of the input are along each axis.
  std::vector<std::int64_t> strides() const {
    std::vector<std::int64_t> all(shape_of(0).size(), 1);
    for (std::size_t i = all.size(); i-- > 1;) all[i - 1] = all[i] * shape_of(0)[i];
    return all;
  }

  /// The extents of the output have the ends.
  std::optional<Numbers> slice() const {
    std::vector<std::int64_t> steps = strides();
    std::int64_t first = 0;
    if (node_.inputs.size() < 3) return std::nullopt;
    for (std::size_t i = 0; i < in(1).size(); ++i) {
      const double stated = node_.input(3) >= 0 ? in(3).at(i) : static_cast<double>(i);
      const std::size_t axis = axis_index(whole_number(stated), shape_of(0));
      const std::int64_t extent = shape_of(0)[axis];
      const std::int64_t step = node_.input(4) >= 0 ? whole_number(in(4).at(i)) : 1;
      const std::int64_t start = whole_number(in(1).at(i));
      const std::int64_t most = step < 0 ? extent - 1 : extent;
      first += std::clamp<std::int64_t>(start < 0 ? start + extent : start, 0, most) * steps[axis];
      steps[axis] *= out_.shape[axis] == 1 ? 0 : step;
    }
    return strided(first, steps);
  }

  std::optional<Numbers> transpose() const {
    const std::vector<std::int64_t> apart = strides();
    const std::vector<std::int64_t> order = node_.integers("perm");
    std::vector<std::int64_t> steps(apart.rbegin(), apart.rend());
    for (std::size_t i = 0; i < order.size(); ++i) {
      steps[i] = apart.at(static_cast<std::size_t>(order[i]));
    }
    return strided(0, steps);
  }

  Numbers range() const {
    Numbers result;
    for (std::int64_t i = 0; i < count_; ++i) {
      result.push_back(in(0).at(0) + static_cast<double>(i) * in(2).at(0));
    }
    return result;
  }

  Numbers where() const {
    Numbers result;
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::size_t side = in(0).at(from(i, 0)) != 0 ? 1 : 2;
      result.push_back(in(side).at(from(i, side)));
    }
    return result;
  }

  Numbers expand() const {
    Numbers result;
    for (std::int64_t i = 0; i < count_; ++i) result.push_back(in(0).at(from(i, 0)));
    return result;
  }

  /// The part above a diagonal, or the one below it.
  Numbers triangle() const {
    Numbers result = in(0);
    const std::int64_t rows = out_.shape.at(out_.shape.size() - 2);
    const std::int64_t columns = out_.shape.back();
    const std::int64_t shift = node_.input(1) >= 0 ? whole_number(in(1).at(0)) : 0;
    const bool is_upper = node_.integer("upper", 1) != 0;
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::int64_t distance = i % columns - i / columns % rows;
      if (is_upper ? distance < shift : distance > shift) result[static_cast<std::size_t>(i)] = 0;
    }
    return result;
  }

  std::optional<Numbers> reduce_product() const {
    if (count_ != 1) return std::nullopt;
    return Numbers{std::accumulate(in(0).begin(), in(0).end(), 1.0, std::multiplies<>())};
  }

  Numbers elementwise(Binary binary) const {
    Numbers result;
    for (std::int64_t i = 0; i < count_; ++i) {
      result.push_back(binary(in(0).at(from(i, 0)), in(1).at(from(i, 1))));
    }
    return result;
  }

  const OnnxGraph& graph_;
  const OnnxNode& node_;
  const OnnxTensor& out_;
  std::int64_t count_;
  std::vector<Numbers> in_;
};

}  // namespace

/// The limit is checked before anything is computed: an Expand in a damaged file makes any number
/// of elements out of one.
bool fold_constants(OnnxGraph& graph, const OnnxNode& node) {
  const int out = node.output(0);
  if (out < 0 || node.outputs.size() != 1) return false;
  const std::int64_t count = element_count(graph.at(out).shape);
  if (count > kMaxKnownNumbers) return false;
  std::optional<Numbers> numbers = Folding(graph, node).numbers();
  if (!numbers || static_cast<std::int64_t>(numbers->size()) != count) return false;
  graph.tensors[out].values = std::move(numbers);
  return true;
}

}  // namespace poet
