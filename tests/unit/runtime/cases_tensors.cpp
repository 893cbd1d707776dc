// Cases of ops on several tensors, of copies, attention and recurrent steps.
#include "unit/runtime/kernel_case.hpp"

namespace poet::test::POET_PRECISION {
namespace {

using Binary = void (*)(const poet_broadcast_spec*, const poet_real*, const poet_real*, poet_real*);
using SumGradient = void (*)(const poet_broadcast_spec*, const poet_real*, const poet_sink*);
using ProductGradient = void (*)(const poet_broadcast_spec*, const poet_real*, const poet_real*,
                                 const poet_sink*);

/// 2 x 3 x 4 x 5, and B of 1 x 3 x 1 x 5 repeated along the batch and the height; or both equal.
poet_broadcast_spec sides(bool is_repeated) {
  if (!is_repeated) return {{1, 1, 1, 120}, {0, 0, 0, 1}, {0, 0, 0, 1}};
  return {{2, 3, 4, 5}, {60, 20, 5, 1}, {0, 5, 0, 1}};
}

Case binary_case(const std::string& name, Binary forward, bool is_repeated) {
  const poet_broadcast_spec s = sides(is_repeated);
  Case result{.name = name + (is_repeated ? "_repeated" : ""),
              .inputs = {numbers(120, 30), numbers(is_repeated ? 15 : 120, 31)},
              .output_size = 120,
              .forward = [=](const Inputs& x, poet_real* y) { forward(&s, x[0], x[1], y); },
              .trained = {1}};
  return result;
}

Case sum_case(const std::string& name, Binary forward, SumGradient first, SumGradient second,
              bool is_repeated) {
  Case result = binary_case(name, forward, is_repeated);
  const poet_broadcast_spec s = sides(is_repeated);
  result.backward = [=](const Inputs&, const poet_real*, const poet_real* dy, const Sinks& dx) {
    first(&s, dy, &dx[0]);
    second(&s, dy, &dx[1]);
  };
  result.over = is_repeated ? std::vector<int>{0} : std::vector<int>{0, 1};
  if (!is_repeated) result.gradient_over_dy = 1;
  return result;
}

/// gZ before gX, which may take over dy.
Case product_case(const std::string& name, Binary forward, ProductGradient first, bool is_div,
                  bool is_repeated) {
  Case result = binary_case(name, forward, is_repeated);
  const poet_broadcast_spec s = sides(is_repeated);
  result.backward = [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
    const Tensor b(x[1], x[1] + (is_repeated ? 15 : 120));  // a sink may change it
    if (is_div) {
      poet_div_grad_b(&s, x[0], x[1], dy, &dx[1]);
    } else {
      poet_mul_grad_b(&s, x[0], dy, &dx[1]);
    }
    first(&s, b.data(), dy, &dx[0]);
  };
  result.gradient_over_dy = 0;
  for (poet_real& divisor : result.inputs[1]) divisor += 3;  // not near 0
  return result;
}

/// Means over the second and the last of 2 x 3 x 4 x 5.
Case mean_case() {
  const poet_mean_spec m{{2, 3, 4, 5}, {4, 0, 1, 0}};
  return {.name = "mean",
          .inputs = {numbers(120, 32)},
          .output_size = 8,
          .forward = [=](const Inputs& x, poet_real* y) { poet_mean(&m, x[0], y); },
          .backward = [=](const Inputs&, const poet_real*, const poet_real* dy,
                          const Sinks& dx) { poet_mean_grad(&m, dy, dx[0].gradient); }};
}

/// Along the second axis of 2 x 5 x 3: a part of 2, and one of 3 whose batch of 1 is repeated.
Case concat_case() {
  const poet_part_spec first{2, 5, 3, 0, 2, 2};
  const poet_part_spec second{2, 5, 3, 2, 3, 1};
  return {.name = "concat",
          .inputs = {numbers(12, 33), numbers(9, 34)},
          .output_size = 30,
          .forward =
              [=](const Inputs& x, poet_real* y) {
                poet_insert(&first, x[0], y);
                poet_insert(&second, x[1], y);
              },
          .backward =
              [=](const Inputs&, const poet_real*, const poet_real* dy, const Sinks& dx) {
                poet_concat_grad(&first, dy, &dx[0]);
                poet_concat_grad(&second, dy, &dx[1]);
              },
          .trained = {1}};
}

/// Two parts, of which the second has no gradient: its output is not part of y.
Case split_case() {
  const poet_part_spec first{2, 5, 3, 0, 2, 2};
  const poet_part_spec second{2, 5, 3, 2, 3, 2};
  return {.name = "split",
          .inputs = {numbers(30, 35)},
          .output_size = 12,
          .forward = [=](const Inputs& x, poet_real* y) { poet_extract(&first, x[0], y); },
          .backward =
              [=](const Inputs&, const poet_real*, const poet_real* dy, const Sinks& dx) {
                poet_insert(&first, dy, dx[0].gradient);
                poet_insert_zeros(&second, dx[0].gradient);
              }};
}

Case slice_case() {
  const poet_part_spec part{2, 5, 3, 1, 2, 2};
  return {.name = "slice",
          .inputs = {numbers(30, 36)},
          .output_size = 12,
          .forward = [=](const Inputs& x, poet_real* y) { poet_extract(&part, x[0], y); },
          .backward = [=](const Inputs&, const poet_real*, const poet_real* dy,
                          const Sinks& dx) { poet_slice_grad(&part, dy, dx[0].gradient); }};
}

/// 2 x 3 x 4 x 5 with order 2, 0, 3, 1
Case permute_case() {
  const poet_permute_spec p{{4, 2, 5, 3}, {5, 60, 1, 20}};
  return {.name = "permute",
          .inputs = {numbers(120, 37)},
          .output_size = 120,
          .forward = [=](const Inputs& x, poet_real* y) { poet_permute(&p, x[0], y); },
          .backward = [=](const Inputs&, const poet_real*, const poet_real* dy,
                          const Sinks& dx) { poet_permute_grad(&p, dy, &dx[0]); },
          .trained = {0}};
}

Case attention_case(std::int32_t is_causal, std::int32_t keys) {
  poet_attention_spec a{
      .batch = 2, .heads = 2, .queries = 4, .keys = keys, .head_dim = 3, .causal = is_causal};
  poet_attention_layout(&a);
  const std::size_t probabilities = 16 * static_cast<std::size_t>(keys);
  return {.name = is_causal != 0 ? "attention_causal" : "attention",
          .inputs = {numbers(48, 40), numbers(12 * static_cast<std::size_t>(keys), 41),
                     numbers(12 * static_cast<std::size_t>(keys), 42)},
          .output_size = 48,
          .forward =
              [=](const Inputs& x, poet_real* y) {
                Tensor p(probabilities);
                poet_attention_scores(&a, x[0], x[1], p.data());
                poet_attention_context(&a, p.data(), x[2], y);
              },
          .backward =
              [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
                Tensor p(probabilities);
                Tensor ds(probabilities);
                poet_attention_scores(&a, x[0], x[1], p.data());
                poet_attention_grad_v(&a, p.data(), dy, dx[2].gradient);
                poet_attention_grad_scores(&a, dy, x[2], p.data(), ds.data());
                poet_attention_grad_q(&a, ds.data(), x[1], dx[0].gradient);
                poet_attention_grad_k(&a, ds.data(), x[0], dx[1].gradient);
              }};
}

Case attention_qkv_case() {
  poet_attention_spec a{
      .batch = 1, .heads = 2, .queries = 4, .keys = 4, .head_dim = 3, .causal = 0};
  poet_attention_qkv_layout(&a);
  return {.name = "attention_context",
          .inputs = {numbers(72, 43)},
          .output_size = 24,
          .forward =
              [=](const Inputs& x, poet_real* y) {
                Tensor p(32);
                poet_attention_scores(&a, x[0], x[0] + 6, p.data());
                poet_attention_context(&a, p.data(), x[0] + 12, y);
              },
          .backward =
              [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
                Tensor p(32);
                Tensor ds(32);
                poet_attention_scores(&a, x[0], x[0] + 6, p.data());
                poet_attention_grad_scores(&a, dy, x[0] + 12, p.data(), ds.data());
                poet_attention_grad_qkv(&a, ds.data(), x[0], p.data(), dy, dx[0].gradient);
              }};
}

constexpr poet_recurrent_spec kStep{.rows = 2, .inputs = 3, .hidden = 4, .has_bias = 1};

/// Inputs x, h, c, W with bias, U with bias; y is h and c.
Case lstm_case() {
  const poet_linear_spec by_x{.rows = 2, .inputs = 3, .outputs = 16, .has_bias = 1};
  const poet_linear_spec by_h{.rows = 2, .inputs = 4, .outputs = 16, .has_bias = 1};
  const auto gates_of = [](const Inputs& x) {
    Tensor gates(32);
    poet_lstm_gates(&kStep, x[0], x[1], x[3], x[3] + 48, x[4], x[4] + 64, gates.data());
    return gates;
  };
  return {.name = "lstm",
          .inputs = {numbers(6, 44), numbers(8, 45), numbers(8, 46), numbers(64, 47, 1),
                     numbers(80, 48, 1)},
          .output_size = 16,
          .forward =
              [=](const Inputs& x, poet_real* y) {
                const Tensor gates = gates_of(x);
                poet_lstm_c(&kStep, gates.data(), x[2], y + 8);
                poet_lstm_h(&kStep, gates.data(), y + 8, y);
              },
          .backward =
              [=](const Inputs& x, const poet_real* y, const poet_real* dy, const Sinks& dx) {
                const Tensor gates = gates_of(x);
                Tensor dcell(8);
                Tensor dgates(32);
                poet_lstm_grad_cell(&kStep, gates.data(), y + 8, dy, dy + 8, dcell.data());
                poet_lstm_grad_c(&kStep, gates.data(), dcell.data(), dx[2].gradient);
                poet_lstm_grad_gates(&kStep, gates.data(), y + 8, x[2], dy, dcell.data(),
                                     dgates.data());
                poet_linear_grad(&by_x, dgates.data(), x[3], dx[0].gradient);
                poet_linear_grad(&by_h, dgates.data(), x[4], dx[1].gradient);
                poet_linear_gradw(&by_x, x[0], dgates.data(), &dx[3]);
                poet_linear_gradw(&by_h, x[1], dgates.data(), &dx[4]);
              },
          .trained = {3, 4}};
}

/// Inputs x, h, W with bias, U with bias.
Case gru_case() {
  const poet_linear_spec by_x{.rows = 2, .inputs = 3, .outputs = 12, .has_bias = 1};
  const auto gates_of = [](const Inputs& x) {
    Tensor gates(24);
    poet_gru_gates(&kStep, x[0], x[1], x[2], x[2] + 36, x[3], x[3] + 48, gates.data());
    return gates;
  };
  return {.name = "gru",
          .inputs = {numbers(6, 49), numbers(8, 50), numbers(48, 51, 1), numbers(60, 52, 1)},
          .output_size = 8,
          .forward = [=](const Inputs& x,
                         poet_real* y) { poet_gru_h(&kStep, gates_of(x).data(), x[1], y); },
          .backward =
              [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
                const Tensor gates = gates_of(x);
                Tensor dgates(24);
                poet_gru_grad_gates(&kStep, gates.data(), x[1], dy, x[3], dgates.data());
                poet_linear_grad(&by_x, dgates.data(), x[2], dx[0].gradient);
                poet_gru_grad_h(&kStep, dgates.data(), gates.data(), dy, x[3], dx[1].gradient);
                poet_linear_gradw(&by_x, x[0], dgates.data(), &dx[2]);
                poet_gru_gradw_hidden(&kStep, x[1], gates.data(), dgates.data(), &dx[3]);
              },
          .trained = {2, 3}};
}

/// The same with the reset gate after the product.
Case gru_after_case() {
  const poet_linear_spec by_x{.rows = 2, .inputs = 3, .outputs = 12, .has_bias = 1};
  const auto gates_of = [](const Inputs& x) {
    Tensor gates(24);
    poet_gru_after_gates(&kStep, x[0], x[1], x[2], x[2] + 36, x[3], x[3] + 48, gates.data());
    return gates;
  };
  Case result = gru_case();
  result.name = "gru_after";
  result.forward = [=](const Inputs& x, poet_real* y) {
    poet_gru_h(&kStep, gates_of(x).data(), x[1], y);
  };
  result.backward = [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
    const Tensor gates = gates_of(x);
    Tensor dgates(24);
    poet_gru_after_grad_gates(&kStep, gates.data(), x[1], dy, x[3], x[3] + 48, dgates.data());
    poet_linear_grad(&by_x, dgates.data(), x[2], dx[0].gradient);
    poet_gru_after_grad_h(&kStep, dgates.data(), gates.data(), dy, x[3], dx[1].gradient);
    poet_linear_gradw(&by_x, x[0], dgates.data(), &dx[2]);
    poet_gru_after_gradw_hidden(&kStep, x[1], gates.data(), dgates.data(), &dx[3]);
  };
  return result;
}

}  // namespace

void add_shape_cases(std::vector<Case>& cases) {
  for (const bool is_repeated : {false, true}) {
    cases.push_back(sum_case("add", poet_add, poet_add_grad_a, poet_add_grad_b, is_repeated));
    cases.push_back(sum_case("sub", poet_sub, poet_sub_grad_a, poet_sub_grad_b, is_repeated));
    cases.push_back(product_case("mul", poet_mul, poet_mul_grad_a, false, is_repeated));
    cases.push_back(product_case("div", poet_div, poet_div_grad_a, true, is_repeated));
  }
  cases.push_back(mean_case());
  cases.push_back(concat_case());
  cases.push_back(split_case());
  cases.push_back(slice_case());
  cases.push_back(permute_case());
}

void add_sequence_cases(std::vector<Case>& cases) {
  cases.push_back(attention_case(0, 5));
  cases.push_back(attention_case(1, 4));
  cases.push_back(attention_qkv_case());
  cases.push_back(lstm_case());
  cases.push_back(gru_case());
  cases.push_back(gru_after_case());
}

}  // namespace poet::test::POET_PRECISION
