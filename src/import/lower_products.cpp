// Products with matrices that no linear layer computes: other factors, a weight on the left, a
// choice of rows of a table. A choice by known indices is a product with a matrix of ones and
// zeros, whose gradient adds up what the rows of the table get.

#include <numeric>

#include "import/lower.hpp"
#include "import/match.hpp"
#include "model/shape.hpp"

namespace poet {
namespace {

int transposed(GraphBuilder& b, int tensor) {
  Shape shape = b.shape(tensor);
  std::vector<std::int64_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order.end()[-1], order.end()[-2]);
  std::swap(shape.end()[-1], shape.end()[-2]);
  return b.add("Transpose", {tensor}, std::move(shape), {{"perm", list_of(std::move(order))}});
}

int scaled(GraphBuilder& b, int tensor, double factor) {
  return factor == 1 ? tensor : b.add_like(tensor, "Mul", {tensor, b.number(factor)});
}

/// alpha A B + beta C, with A and B transposed or not.
void lower_gemm(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  int x = node.input(0);
  int weight = node.input(1);
  const int bias = node.input(2);
  static_cast<void>(node.has("broadcast"));
  if (x < 0 || weight < 0 || !b.graph().at(x).is_data()) return;
  if (node.integer("transA", 0) != 0) x = transposed(b, x);
  const bool is_transposed = node.integer("transB", 0) != 0;
  const Shape out = b.shape(node.output(0));
  int product = -1;
  if (b.graph().at(weight).is_data()) {
    if (is_transposed) weight = transposed(b, weight);
    product = b.add("MatMul", {x, weight}, out);
  } else {
    product = b.add(".linear", {x, weight}, out,
                    {{"out_features", integer_of(out.back())},
                     {"in_first", integer_of(is_transposed ? 0 : 1)}});
  }
  product = scaled(b, product, node.number("alpha", 1));
  if (bias < 0) return;
  b.add("Add", {product, scaled(b, bias, node.number("beta", 1))}, out);
}

/// W X as the transposition of X' W'.
void lower_left_weight(GraphBuilder& b) {
  const int weight = b.node().input(0);
  const int x = b.node().input(1);
  if (weight < 0 || x < 0 || b.graph().at(weight).is_data() || !b.graph().at(x).is_data()) return;
  if (b.shape(weight).size() != 2 || b.shape(x).size() < 2) return;
  const int turned = transposed(b, x);
  Shape shape = b.shape(turned);
  shape.back() = b.shape(weight)[0];
  const int product = b.add(".linear", {turned, weight}, std::move(shape),
                            {{"out_features", integer_of(b.shape(weight)[0])}});
  transposed(b, product);
}

void lower_rows_of_a_weight(GraphBuilder& b) {
  const OnnxNode& node = b.node();
  const int table = node.input(0);
  const auto rows = whole_numbers(b.graph(), node, 1, "");
  const bool is_choice = !b.graph().at(table).is_data() && !rows.empty() &&
                         !b.graph().at(node.input(1)).is_data() && node.integer("axis", 0) == 0;
  if (!is_choice || b.shape(table).empty()) return;
  const std::int64_t count = b.shape(table)[0];
  const auto chosen = static_cast<std::int64_t>(rows.size());
  if (count < 1 || checked_product({count, chosen}) > (std::int64_t{1} << 24)) return;
  std::vector<double> ones(static_cast<std::size_t>(count * chosen), 0.0);
  for (std::int64_t i = 0; i < chosen; ++i) {
    const std::int64_t row = rows[i] < 0 ? rows[i] + count : rows[i];
    if (row < 0 || row >= count) return;
    ones[static_cast<std::size_t>(i * count + row)] = 1;
  }
  const std::int64_t width = element_count(b.shape(table)) / count;
  const int flat = b.add("Reshape", {table}, {count, width});
  const int product =
      b.add("MatMul", {b.constant({chosen, count}, std::move(ones)), flat}, {chosen, width});
  b.add("Reshape", {product}, b.shape(node.output(0)));
}

}  // namespace

void lower_products(GraphBuilder& builder) {
  const std::string& op = builder.node().op;
  if (op == "Gemm") lower_gemm(builder);
  if (op == "MatMul") lower_left_weight(builder);
  if (op == "Gather" && builder.node().input(0) >= 0) lower_rows_of_a_weight(builder);
}

}  // namespace poet
