// Cases of ops with parameters.
#include "unit/runtime/kernel_case.hpp"

namespace poet::test::POET_PRECISION {
namespace {

std::size_t size_of(std::initializer_list<int> extents) {
  std::size_t size = 1;
  for (const int extent : extents) size *= static_cast<std::size_t>(extent);
  return size;
}

Case conv_case(const std::string& name, const poet_conv2d_spec& c) {
  const std::size_t weights =
      size_of({c.filters, c.channels / c.groups, c.kernel_height, c.kernel_width});
  const std::size_t biases = c.has_bias != 0 ? static_cast<std::size_t>(c.filters) : 0;
  const auto bias = [=](const poet_real* w) { return biases > 0 ? w + weights : nullptr; };
  return {
      .name = name,
      .inputs = {numbers(size_of({c.batch, c.channels, c.height, c.width}), 1),
                 numbers(weights + biases, 2)},
      .output_size = size_of({c.batch, c.filters, c.map_height, c.map_width}),
      .forward = [=](const Inputs& x, poet_real* y) { poet_conv2d(&c, x[0], x[1], bias(x[1]), y); },
      .backward =
          [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
            poet_conv2d_grad(&c, dy, x[1], dx[0].gradient);
            poet_conv2d_gradw(&c, x[0], dy, &dx[1]);
          },
      .trained = {1}};
}

Case conv_transpose_case(const std::string& name, const poet_conv2d_spec& c) {
  const std::size_t weights =
      size_of({c.filters, c.channels / c.groups, c.kernel_height, c.kernel_width});
  return {
      .name = name,
      .inputs = {numbers(size_of({c.batch, c.filters, c.map_height, c.map_width}), 3),
                 numbers(weights + static_cast<std::size_t>(c.channels), 4)},
      .output_size = size_of({c.batch, c.channels, c.height, c.width}),
      .forward = [=](const Inputs& x,
                     poet_real* y) { poet_conv_transpose2d(&c, x[0], x[1], x[1] + weights, y); },
      .backward =
          [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
            poet_conv_transpose2d_grad(&c, dy, x[1], dx[0].gradient);
            poet_conv_transpose2d_gradw(&c, x[0], dy, &dx[1]);
          },
      .trained = {1}};
}

Case linear_case(const poet_linear_spec& l, bool is_relu) {
  const std::size_t weights = size_of({l.outputs, l.inputs});
  const std::size_t biases = l.has_bias != 0 ? static_cast<std::size_t>(l.outputs) : 0;
  const auto bias = [=](const poet_real* w) { return biases > 0 ? w + weights : nullptr; };
  return {.name = is_relu ? "linear_relu" : "linear",
          .inputs = {numbers(size_of({l.rows, l.inputs}), 5), numbers(weights + biases, 6)},
          .output_size = size_of({l.rows, l.outputs}),
          .forward =
              [=](const Inputs& x, poet_real* y) {
                (is_relu ? poet_linear_relu : poet_linear)(&l, x[0], x[1], bias(x[1]), y);
              },
          .backward =
              [=](const Inputs& x, const poet_real* y, const poet_real* dy, const Sinks& dx) {
                Tensor dz(dy, dy + l.rows * l.outputs);
                if (is_relu) poet_linear_relu_grad_z(&l, y, dz.data(), dz.data());
                poet_linear_grad(&l, dz.data(), x[1], dx[0].gradient);
                poet_linear_gradw(&l, x[0], dz.data(), &dx[1]);
              },
          .trained = {1}};
}

Case matmul_case(const poet_matmul_spec& m) {
  return {.name = "matmul_" + std::to_string(m.transpose_a) + std::to_string(m.transpose_b),
          .inputs = {numbers(size_of({m.batches, m.rows, m.inner}), 7),
                     numbers(size_of({m.batches, m.inner, m.columns}), 8)},
          .output_size = size_of({m.batches, m.rows, m.columns}),
          .forward = [=](const Inputs& x, poet_real* y) { poet_matmul(&m, x[0], x[1], y); },
          .backward =
              [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
                // That of the side that trains comes last: its sink may change what the other
                // reads.
                poet_matmul_grad_b(&m, x[0], dy, &dx[1]);
                poet_matmul_grad_a(&m, x[1], dy, &dx[0]);
              },
          .trained = {0}};
}

Case embedding_case() {
  const poet_embedding_spec e{.tokens = 5, .vocabulary = 4, .width = 3};
  static const std::int32_t kTokens[5] = {2, 0, 2, 3, 9};  // 9 is not in the vocabulary
  return {.name = "embedding",
          .inputs = {numbers(12, 9)},
          .output_size = 15,
          .forward = [=](const Inputs& x, poet_real* y) { poet_embedding(&e, kTokens, x[0], y); },
          .backward = [=](const Inputs&, const poet_real*, const poet_real* dy,
                          const Sinks& dx) { poet_embedding_gradw(&e, kTokens, dy, &dx[0]); },
          .trained = {0}};
}

Case batch_norm_case(const std::string& name, const poet_batch_norm_spec& b) {
  const auto channels = static_cast<std::size_t>(b.channels);
  return {
      .name = name,
      .inputs = {numbers(size_of({b.batch, b.channels, b.plane}), 10), numbers(2 * channels, 11)},
      .output_size = size_of({b.batch, b.channels, b.plane}),
      .forward = [=](const Inputs& x,
                     poet_real* y) { poet_batch_norm(&b, x[0], x[1], x[1] + channels, y); },
      .backward =
          [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
            poet_batch_norm_grad(&b, x[0], dy, x[1], dx[0].gradient, &dx[1]);
          },
      .gradient_over_dy = 0,
      .trained = {1}};
}

/// Gamma and beta do not train: here they are no input of the case.
Case frozen_norm_case() {
  const poet_batch_norm_spec b{.batch = 2, .channels = 3, .plane = 4};
  const Tensor scale = numbers(6, 12);
  return {.name = "frozen_norm",
          .inputs = {numbers(24, 13)},
          .output_size = 24,
          .forward =
              [=](const Inputs& x, poet_real* y) {
                poet_frozen_norm(&b, x[0], scale.data(), scale.data() + 3, y);
              },
          .backward =
              [=](const Inputs&, const poet_real*, const poet_real* dy, const Sinks& dx) {
                poet_frozen_norm_grad(&b, dy, scale.data(), dx[0].gradient);
              },
          .over = {0},
          .gradient_over_dy = 0};
}

/// Statistics are no input of the case either. Its gradient is the one of a scale.
Case running_norm_case() {
  const poet_batch_norm_spec b{
      .batch = 2, .channels = 3, .plane = 4, .epsilon = static_cast<poet_real>(0.25)};
  const Tensor scale = numbers(6, 16);
  const Tensor mean = numbers(3, 17);
  const Tensor variance{0, static_cast<poet_real>(0.75), 2};
  const Tensor slope{scale[0] * 2, scale[1], scale[2] / static_cast<poet_real>(1.5)};
  return {.name = "running_norm",
          .inputs = {numbers(24, 18)},
          .output_size = 24,
          .forward =
              [=](const Inputs& x, poet_real* y) {
                poet_running_norm(&b, x[0], scale.data(), scale.data() + 3, mean.data(),
                                  variance.data(), y);
              },
          .backward =
              [=](const Inputs&, const poet_real*, const poet_real* dy, const Sinks& dx) {
                poet_frozen_norm_grad(&b, dy, slope.data(), dx[0].gradient);
              },
          .over = {0},
          .gradient_over_dy = 0};
}

Case group_norm_case(const std::string& name, const poet_group_norm_spec& n) {
  const std::size_t scales = size_of({n.groups, n.channels});
  const bool has_bias = n.has_bias != 0;
  const std::size_t size = size_of({n.samples, n.groups, n.channels, n.plane});
  return {.name = name,
          .inputs = {numbers(size, 14), numbers(has_bias ? 2 * scales : scales, 15)},
          .output_size = size,
          .forward =
              [=](const Inputs& x, poet_real* y) {
                poet_group_norm(&n, x[0], x[1], has_bias ? x[1] + scales : nullptr, y);
              },
          .backward =
              [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
                poet_group_norm_grad(&n, x[0], dy, x[1], dx[0].gradient, &dx[1]);
              },
          .gradient_over_dy = 0,
          .trained = {1}};
}

}  // namespace

void add_conv_cases(std::vector<Case>& cases) {
  cases.push_back(conv_case("conv2d", kConvolution));
  // "same" for a stride of 2 and an even kernel; more channels than are summed side by side.
  cases.push_back(conv_case("conv2d_same", {.batch = 1,
                                            .channels = 11,
                                            .height = 5,
                                            .width = 5,
                                            .filters = 3,
                                            .map_height = 3,
                                            .map_width = 3,
                                            .kernel_height = 4,
                                            .kernel_width = 4,
                                            .stride_height = 2,
                                            .stride_width = 2,
                                            .pad_top = 1,
                                            .pad_left = 1,
                                            .dilation_height = 1,
                                            .dilation_width = 1,
                                            .groups = 1,
                                            .has_bias = 0}));
  cases.push_back(conv_case("conv1d_depthwise", {.batch = 2,
                                                 .channels = 3,
                                                 .height = 1,
                                                 .width = 8,
                                                 .filters = 3,
                                                 .map_height = 1,
                                                 .map_width = 10,
                                                 .kernel_height = 1,
                                                 .kernel_width = 3,
                                                 .stride_height = 1,
                                                 .stride_width = 1,
                                                 .pad_top = 0,
                                                 .pad_left = 2,
                                                 .dilation_height = 1,
                                                 .dilation_width = 1,
                                                 .groups = 3,
                                                 .has_bias = 1}));
  // X is 3 x 4 with 4 channels, Y is (3 - 1) 2 - 2 + 2 + 1 + 1 = 6 by (4 - 1) 2 - 2 + 2 + 1 = 7.
  cases.push_back(conv_transpose_case("conv_transpose2d", {.batch = 2,
                                                           .channels = 6,
                                                           .height = 6,
                                                           .width = 7,
                                                           .filters = 4,
                                                           .map_height = 3,
                                                           .map_width = 4,
                                                           .kernel_height = 3,
                                                           .kernel_width = 3,
                                                           .stride_height = 2,
                                                           .stride_width = 2,
                                                           .pad_top = 1,
                                                           .pad_left = 1,
                                                           .dilation_height = 1,
                                                           .dilation_width = 1,
                                                           .groups = 2,
                                                           .has_bias = 1}));
}

void add_dense_cases(std::vector<Case>& cases) {
  cases.push_back(linear_case({.rows = 5, .inputs = 11, .outputs = 9, .has_bias = 1}, false));
  cases.push_back(linear_case({.rows = 3, .inputs = 4, .outputs = 17, .has_bias = 0}, true));
  for (std::int32_t a = 0; a < 2; ++a) {
    for (std::int32_t b = 0; b < 2; ++b) {
      cases.push_back(matmul_case({.batches = 2,
                                   .rows = 3,
                                   .inner = 10,
                                   .columns = 9,
                                   .transpose_a = a,
                                   .transpose_b = b}));
    }
  }
  cases.push_back(embedding_case());
}

void add_norm_cases(std::vector<Case>& cases) {
  const auto epsilon = static_cast<poet_real>(1e-5);
  cases.push_back(
      batch_norm_case("batch_norm", {.batch = 3, .channels = 4, .plane = 6, .epsilon = epsilon}));
  const auto large = static_cast<poet_real>(0.5);
  cases.push_back(batch_norm_case("batch_norm_of_a_large_epsilon",
                                  {.batch = 3, .channels = 2, .plane = 5, .epsilon = large}));
  cases.push_back(group_norm_case(
      "group_norm_of_a_large_epsilon",
      {.samples = 2, .groups = 2, .channels = 2, .plane = 3, .has_bias = 1, .epsilon = large}));
  cases.push_back(frozen_norm_case());
  cases.push_back(running_norm_case());
  cases.push_back(group_norm_case(
      "group_norm",
      {.samples = 3, .groups = 2, .channels = 3, .plane = 5, .has_bias = 1, .epsilon = epsilon}));
  // More channels than are summed side by side.
  cases.push_back(group_norm_case(
      "layer_norm",
      {.samples = 4, .groups = 1, .channels = 70, .plane = 1, .has_bias = 1, .epsilon = epsilon}));
  cases.push_back(group_norm_case(
      "layer_norm_without_bias",
      {.samples = 5, .groups = 1, .channels = 6, .plane = 1, .has_bias = 0, .epsilon = epsilon}));
}

}  // namespace poet::test::POET_PRECISION
