// Functions of single elements by relu, elu and arithmetic. Inside of its limits a clipped number
// has the bits that it had: what is added there is 0.

#include <algorithm>
#include <numbers>
#include <optional>

#include "import/lower.hpp"
#include "import/match.hpp"
#include "model/shape.hpp"

namespace poet {
namespace {

int relu(GraphBuilder& b, int x) {
  return b.add_like(x, "Relu", {x});
}

int times(GraphBuilder& b, int x, double factor) {
  return factor == 1 ? x : b.add_like(x, "Mul", {x, b.number(factor)});
}

/// x + relu(low - x) - relu(x - high).
void clipped(GraphBuilder& b, int x, std::optional<double> low, std::optional<double> high) {
  int y = x;
  if (low == 0.0) {
    y = relu(b, x);
  } else if (low) {
    y = b.add_like(x, "Add", {x, relu(b, b.add_like(x, "Sub", {b.number(*low), x}))});
  }
  if (high) b.add_like(x, "Sub", {y, relu(b, b.add_like(x, "Sub", {x, b.number(*high)}))});
}

void lower_clip(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const auto limit = [&](std::size_t input, const char* key) -> std::optional<double> {
    if (node.input(input) >= 0) return b.graph().at(node.input(input)).number();
    if (node.has(key)) return node.number(key, 0);
    return std::nullopt;
  };
  const auto low = limit(1, "min");
  const auto high = limit(2, "max");
  // Limits that are not known, and the largest numbers, which stand for none.
  constexpr double kNone = 1e30;
  const bool is_unknown = (node.input(1) >= 0 && !low) || (node.input(2) >= 0 && !high);
  if (is_unknown || (low && high && *low > *high)) return;
  const bool has_low = low && *low > -kNone;
  const bool has_high = high && *high < kNone;
  if (has_low && low == 0.0 && has_high && high == 6.0) return;
  if (!has_low && !has_high) {
    b.add_like(node.input(0), "Reshape", {node.input(0)});
    return;
  }
  clipped(b, node.input(0), has_low ? low : std::nullopt, has_high ? high : std::nullopt);
}

void lower_hard_sigmoid(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const double slope = node.number("alpha", 0.2);
  const double shift = node.number("beta", 0.5);
  if (is_near(slope, 1.0 / 6) && is_near(shift, 0.5)) return;
  const int x = node.input(0);
  const int line = b.add_like(x, "Add", {times(b, x, slope), b.number(shift)});
  clipped(b, line, 0, 1);
}

void lower_power(GraphBuilder& b) {
  const int x = b.node().input(0);
  const auto exponent =
      b.node().input(1) < 0 ? std::nullopt : b.graph().at(b.node().input(1)).number();
  if (!exponent || b.shape(x) != b.shape(b.node().output(0))) return;
  if (*exponent != 1 && *exponent != 2 && *exponent != 3) return;
  int power = x;
  for (int i = 1; i < static_cast<int>(*exponent); ++i) {
    power = b.add_like(x, "Mul", {power, x});
  }
  if (power == x) b.add_like(x, "Reshape", {x});
}

/// Sums, means, maxima and minima of any number of tensors.
void lower_variadic(GraphBuilder& b) {
  const std::string& op = b.node().op;
  const std::size_t count = b.node().inputs.size();
  const int out = b.node().output(0);
  int so_far = b.node().input(0);
  for (std::size_t i = 1; i < count; ++i) {
    const int next = b.node().input(i);
    Shape shape = i + 1 == count ? b.shape(out) : broadcast_shape(b.shape(so_far), b.shape(next));
    if (op == "Sum" || op == "Mean") {
      so_far = b.add("Add", {so_far, next}, shape);
      continue;
    }
    const bool is_max = op == "Max";
    const int above =
        b.add("Sub", is_max ? std::vector{so_far, next} : std::vector{next, so_far}, shape);
    so_far = b.add(is_max ? "Add" : "Sub", {next, relu(b, above)}, shape);
  }
  if (op == "Mean") so_far = times(b, so_far, 1.0 / static_cast<double>(count));
  if (so_far == b.node().input(0)) b.add_like(out, "Reshape", {so_far});
}

/// With `approximate`, x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2: Hendrycks and Gimpel
/// (2016).
void lower_gelu(GraphBuilder& b) {
  const int x = b.node().input(0);
  if (!b.node().has("approximate") || b.node().text("approximate") == "none") {
    b.add_like(x, ".gelu", {x});
    return;
  }
  if (b.node().text("approximate") != "tanh") return;
  const double root = std::sqrt(2 / std::numbers::pi);
  const auto product = [&](int first, int second) { return b.add_like(x, "Mul", {first, second}); };
  const int cube = product(product(x, x), x);
  const int sum = b.add_like(x, "Add", {times(b, x, root), times(b, cube, 0.044715 * root)});
  const int gate = b.add_like(x, "Add", {b.add_like(x, "Tanh", {sum}), b.number(1)});
  product(times(b, x, 0.5), gate);
}

/// Slopes of single elements, as Keras has them; those of channels, and a single one, are a layer.
void lower_prelu(GraphBuilder& b) {
  const int x = b.node().input(0);
  const int slope = b.node().input(1);
  if (slope < 0 || b.graph().at(slope).is_data()) return;
  const Shape slopes = b.shape(slope);
  const Shape in = b.shape(x);
  if (element_count(slopes) == 1) return;
  const bool is_of_channels =
      slopes.size() + 1 == in.size() && element_count(slopes) == in[1] && slopes.front() == in[1];
  if (is_of_channels) return;
  const int below = relu(b, times(b, x, -1));
  b.add_like(x, "Sub", {relu(b, x), b.add_like(x, "Mul", {below, slope})});
}

/// A choice by known truth values: a product with 1 or 0 for each side.
void lower_where(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const auto known = b.graph().at(node.input(0)).known();
  if (!known) return;
  const auto side = [&](std::size_t input, bool is_first) {
    std::vector<double> shares;
    for (const double truth : *known) shares.push_back((truth != 0) == is_first ? 1 : 0);
    const int from = node.input(input);
    const auto number = b.graph().at(from).number();
    if (number && (b.graph().at(from).is_constant || *number <= kHides)) {
      for (double& each : shares) each *= std::clamp(*number, kHidden, -kHidden);
      return b.constant(b.shape(node.input(0)), std::move(shares));
    }
    const int share = b.constant(b.shape(node.input(0)), std::move(shares));
    return b.add("Mul", {from, share}, broadcast_shape(b.shape(from), b.shape(share)));
  };
  const int first = side(1, true);
  const int second = side(2, false);
  b.add("Add", {first, second}, b.shape(node.output(0)));
}

}  // namespace

// What is so far below 0 hides an element from a softmax; infinity times 0 would not be a number.
int finite_mask(GraphBuilder& builder, int mask) {
  std::optional<std::vector<double>> values = builder.graph().at(mask).known();
  if (!values || !hides_some(builder.graph(), mask)) return mask;
  for (double& value : *values) value = std::max(value, kHidden);
  return builder.constant(builder.shape(mask), std::move(*values));
}

void lower_elementwise(GraphBuilder& builder) {
  const OnnxNode& node = builder.node();
  const std::string& op = node.op;
  const int x = node.input(0);
  if (x < 0 || node.output(0) < 0) return;
  if (op == "Clip") lower_clip(builder);
  if (op == "HardSigmoid") lower_hard_sigmoid(builder);
  if (op == "Pow") lower_power(builder);
  if (op == "Where") lower_where(builder);
  if (op == "Sum" || op == "Mean" || op == "Max" || op == "Min") lower_variadic(builder);
  if (op == "Neg") times(builder, x, -1);
  if (op == "Reciprocal") builder.add_like(x, "Div", {builder.number(1), x});
  if (op == "Exp") {  // e^x is s(x) / s(-x) of a sigmoid s
    const int below = builder.add_like(x, "Sigmoid", {times(builder, x, -1)});
    builder.add_like(x, "Div", {builder.add_like(x, "Sigmoid", {x}), below});
  }
  if (op == "Mish") {
    const int inside = builder.add_like(x, "Softplus", {x});
    builder.add_like(x, "Mul", {x, builder.add_like(x, "Tanh", {inside})});
  }
  if (op == "Gelu") lower_gelu(builder);
  if (op == "PRelu") lower_prelu(builder);
  if (op == "Softsign") {
    const int size = builder.add_like(x, "Abs", {x});
    builder.add_like(x, "Div", {x, builder.add_like(x, "Add", {size, builder.number(1)})});
  }
  if (op == "Abs") {
    const int negative = relu(builder, times(builder, x, -1));
    builder.add_like(x, "Add", {relu(builder, x), negative});
  }
  if (op == "Selu") {
    const double alpha = node.number("alpha", 1.67326319217681884765625);
    const double gamma = node.number("gamma", 1.05070102214813232421875);
    builder.add_like(
        x, "Mul",
        {builder.add_like(x, "Elu", {x}, {{"alpha", number_of(alpha)}}), builder.number(gamma)});
  }
  if (op == "Celu") {
    const double alpha = node.number("alpha", 1);
    const int elu = builder.add_like(x, "Elu", {times(builder, x, 1 / alpha)});
    times(builder, elu, alpha);
  }
  if (op == "Add") {
    const int mask = data_and_known(builder.graph(), node).second;
    const int finite = mask < 0 ? mask : finite_mask(builder, mask);
    if (finite != mask) {
      builder.add("Add", {other_input(node, mask), finite}, builder.shape(node.output(0)));
    }
  }
}

}  // namespace poet
