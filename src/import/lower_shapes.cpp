// Sums over axes, a softmax over several of them, norms, repetitions, and choices of elements.

#include <algorithm>
#include <set>

#include "import/lower.hpp"
#include "import/match.hpp"
#include "model/shape.hpp"

namespace poet {
namespace {

using List = std::vector<std::int64_t>;

/// Before opset 13, a softmax goes over all extents from its axis on, as if they were one.
void lower_old_softmax(GraphBuilder& b) {
  constexpr int kFirstWithOneAxis = 13;
  const Shape in = b.shape(b.node().input(0));
  if (b.graph().opset >= kFirstWithOneAxis || in.empty()) return;
  const std::size_t axis = axis_index(b.node().integer("axis", 1), in);
  if (axis + 1 == in.size() || axis == 0) return;
  Shape flat(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(axis));
  flat.push_back(element_count(std::span(in).subspan(axis)));
  const int one = b.add("Reshape", {b.node().input(0)}, std::move(flat));
  const int softmax = b.add_like(one, b.node().op, {one}, {{"axis", integer_of(-1)}});
  b.add("Reshape", {softmax}, in);
}

/// A sum is a mean times the number of what is added up.
void lower_sum(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  int x = node.input(0);
  const List axes = whole_numbers(b.graph(), node, 1, "axes");
  const bool is_unknown = node.input(1) >= 0 && !b.graph().at(node.input(1)).values;
  if (is_unknown || (axes.empty() && node.integer("noop_with_empty_axes", 0) != 0)) return;
  const std::int64_t out = std::max<std::int64_t>(1, element_count(b.shape(node.output(0))));
  const std::int64_t count = element_count(b.shape(x)) / out;
  if (node.op == "ReduceSumSquare") x = b.add_like(x, "Mul", {x, x});
  if (node.op == "ReduceL1") x = b.add_like(x, "Abs", {x});
  GraphBuilder::Attributes attributes{{"keepdims", integer_of(node.integer("keepdims", 1))}};
  if (!axes.empty()) attributes.emplace_back("axes", list_of(axes));
  const int mean = b.add_like(node.output(0), "ReduceMean", {x}, attributes);
  b.add_like(mean, "Mul", {mean, b.number(static_cast<double>(count))});
}

/// Added to zeros, data is repeated. The batch is left to itself.
void lower_expand(GraphBuilder& b) {
  const int x = b.node().input(0);
  b.node().read_all();
  Shape shape = b.shape(b.node().output(0));
  if (!b.graph().at(x).is_data() || shape.empty() || shape == b.shape(x)) return;
  const Shape out = shape;
  if (out.size() == b.shape(x).size() && out[0] == b.shape(x)[0]) shape[0] = 1;
  const auto count = static_cast<std::size_t>(element_count(shape));
  b.add("Add", {x, b.constant(std::move(shape), std::vector<double>(count, 0.0))}, out);
}

/// Elements of data at known places: as many slices as there are rows of neighbours.
void pick(GraphBuilder& b, int x, std::size_t axis, const List& places) {
  constexpr std::size_t kMost = 256;
  Shape joined = b.shape(x);
  std::vector<int> parts;
  for (std::size_t i = 0; i < places.size() && parts.size() <= kMost;) {
    std::size_t end = i + 1;
    while (end < places.size() && places[end] == places[end - 1] + 1 && places[end] != 0) ++end;
    const std::int64_t start = places[i] < 0 ? places[i] + joined[axis] : places[i];
    const auto size = static_cast<std::int64_t>(end - i);
    if (start < 0 || start > joined[axis] - size) return b.give_up();
    parts.push_back(b.slice(x, axis, start, size));
    i = end;
  }
  if (parts.empty() || parts.size() > kMost) return b.give_up();
  joined[axis] = static_cast<std::int64_t>(places.size());
  const int all = b.add("Concat", parts, std::move(joined),
                        {{"axis", integer_of(static_cast<std::int64_t>(axis))}});
  b.add("Reshape", {all}, b.shape(b.node().output(0)));
}

void lower_gather(GraphBuilder& b) {
  const int x = b.node().input(0);
  const List places = whole_numbers(b.graph(), b.node(), 1, "");
  if (!b.graph().at(x).is_data() || b.shape(x).empty() || are_neighbours(places)) return;
  pick(b, x, axis_index(b.node().integer("axis", 0), b.shape(x)), places);
}

/// A slice along one axis in steps other than 1.
void lower_steps(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const auto only = [&](std::size_t input, const char* key) {
    const List list = whole_numbers(b.graph(), node, input, key);
    return list.size() == 1 ? list[0] : 0;
  };
  const bool has_axis = node.input(3) >= 0 || node.has("axes");
  const Shape in = b.shape(node.input(0));
  const std::int64_t step = only(4, "steps");
  if (step == 0 || step == 1 || !b.graph().at(node.input(0)).is_data() || in.empty()) return;
  node.read_all();  // the shape of the output has the end
  const std::size_t axis = has_axis ? axis_index(only(3, "axes"), in) : 0;
  const std::int64_t start = only(1, "starts") + (only(1, "starts") < 0 ? in[axis] : 0);
  List places;
  for (std::int64_t i = 0; i < b.shape(node.output(0))[axis]; ++i) {
    places.push_back(std::clamp<std::int64_t>(start, 0, step < 0 ? in[axis] - 1 : in[axis]) +
                     i * step);
  }
  pick(b, node.input(0), axis, places);
}

/// Channels as blocks of pixels, or the reverse, by two permutations: kernels have four extents.
void lower_blocks(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const Shape in = b.shape(node.input(0));
  const Shape out = b.shape(node.output(0));
  const std::int64_t size = node.integer("blocksize", 1);
  const bool is_to_space = node.op == "DepthToSpace";
  const std::string mode = node.text("mode");
  if (in.size() != 4 || size < 1 || (!mode.empty() && mode != "DCR" && mode != "CRD")) return;
  const Shape& small = is_to_space ? in : out;  // in height and width
  const std::int64_t channels = is_to_space ? out[1] : in[1];
  const std::int64_t height = small[2];
  const std::int64_t width = small[3];
  using Step = std::pair<Shape, List>;
  const Step columns{{in[0], size, size, channels * height * width}, {0, 1, 3, 2}};
  const Step rows{{in[0], size, channels * height, width * size}, {0, 2, 1, 3}};
  std::vector<Step> steps{columns, rows};
  if (mode == "CRD") {
    steps = {{{in[0], channels * size, size, height * width}, {0, 1, 3, 2}},
             {{in[0], channels, size, height, width * size}, {0, 1, 3, 2, 4}}};
  }
  if (!is_to_space) {
    steps = {{{in[0], channels * height, size, width * size}, {0, 2, 1, 3}},
             {{in[0], size, channels * height * width, size}, {0, 1, 3, 2}}};
  }
  int x = node.input(0);
  for (const auto& [parts, order] : steps) {
    x = b.add("Reshape", {x}, parts);
    Shape moved;
    for (const std::int64_t axis : order) moved.push_back(parts[static_cast<std::size_t>(axis)]);
    x = b.add("Transpose", {x}, std::move(moved), {{"perm", list_of(order)}});
  }
  b.add("Reshape", {x}, out);
}

/// A layer norm without parameters along an axis, which is the last one meanwhile. Without centring
/// it is a half of the norm of x and -x, whose mean is 0.
void lower_norm(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const auto axis = static_cast<std::size_t>(node.integer("axis", 0));
  const double factor = node.number("factor", 0);
  int x = b.swapped(node.input(0), axis);
  const Shape shape = b.shape(x);
  const auto last = static_cast<std::int64_t>(shape.size()) - 1;
  if (factor != 0) {
    Shape both = shape;
    both.back() *= 2;
    x = b.add("Concat", {x, b.add_like(x, "Mul", {x, b.number(-1)})}, both,
              {{"axis", integer_of(last)}});
  }
  const std::int64_t extent = b.shape(x).back();
  const std::vector<double> ones(static_cast<std::size_t>(extent), 1);
  x = b.add_like(x, ".layer_norm", {x, b.constant({extent}, ones), -1},
                 {{"dims", integer_of(1)},
                  {"epsilon", number_of(node.number("epsilon", 0))},
                  {"fixed", integer_of(1)}});
  if (factor != 0) x = b.slice(x, shape.size() - 1, 0, shape.back());
  if (factor != 0 && factor != 1) x = b.add_like(x, "Mul", {x, b.number(factor)});
  b.swapped(x, axis);
}

/// Opset 21's, and an earlier one whose groups are its channels: with a scale for each.
void lower_group_norm(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const int x = node.input(0);
  if (node.input(1) < 0 || node.input(2) < 0 || b.shape(x).size() < 2) return;
  const Shape channels{b.shape(x)[1]};
  if (node.integer("stash_type", 1) != 1) return;
  if (b.shape(node.input(1)) != channels || b.shape(node.input(2)) != channels) return;
  b.add_like(x, ".group_norm", {x, node.input(1), node.input(2)},
             {{"groups", integer_of(node.integer("num_groups", 1))},
              {"epsilon", number_of(node.number("epsilon", 1e-5))}});
}

/// Repetitions, but of a batch.
void lower_tile(GraphBuilder& b) {
  const List counts = whole_numbers(b.graph(), b.node(), 1, "");
  int x = b.node().input(0);
  constexpr std::int64_t kMost = 256;
  if (counts.size() != b.shape(x).size() || counts.empty() || counts[0] != 1) return;
  for (std::size_t axis = 1; axis < counts.size(); ++axis) {
    if (counts[axis] < 1 || counts[axis] > kMost) return b.give_up();
    if (counts[axis] == 1) continue;
    Shape shape = b.shape(x);
    shape[axis] *= counts[axis];
    x = b.add("Concat", std::vector<int>(static_cast<std::size_t>(counts[axis]), x),
              std::move(shape), {{"axis", integer_of(static_cast<std::int64_t>(axis))}});
  }
  if (x == b.node().input(0)) b.add_like(x, "Reshape", {x});
}

}  // namespace

// Before opset 7, the second tensor of a sum or a product lies along the extents of the first from
// an axis on, and not along the last ones.
void lower_old_broadcast(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  static const std::set<std::string> ops = {"Add", "Sub", "Mul", "Div", "Pow"};
  if (!ops.contains(node.op) || (!node.has("axis") && !node.has("broadcast"))) return;
  const int x = node.input(0);
  int second = node.input(1);
  const Shape in = b.shape(x);
  Shape shape = b.shape(second);
  const std::size_t axis = node.has("axis") ? axis_index(node.integer("axis", 0), in) : 0;
  if (node.has("axis") && axis + shape.size() < in.size()) {
    shape.resize(in.size() - axis, 1);
    second = b.graph().at(second).is_data() ? b.add("Reshape", {second}, shape)
                                            : b.in_shape(second, shape);
  }
  static_cast<void>(node.integer("broadcast", 0));
  b.add_like(node.output(0), node.op, {x, second});
}

void lower_shapes(GraphBuilder& builder) {
  const std::string& op = builder.node().op;
  if (builder.node().input(0) < 0) return;
  if (op == "Softmax" || op == "LogSoftmax") lower_old_softmax(builder);
  if (op == "ReduceSum" || op == "ReduceSumSquare" || op == "ReduceL1") lower_sum(builder);
  if (op == ".norm_along") lower_norm(builder);
  if (op == "GroupNormalization") lower_group_norm(builder);
  if (op == "Tile") lower_tile(builder);
  if (op == "Expand") lower_expand(builder);
  if (op == "Gather") lower_gather(builder);
  if (op == "Slice") lower_steps(builder);
  if (op == "DepthToSpace" || op == "SpaceToDepth") lower_blocks(builder);
}

}  // namespace poet
