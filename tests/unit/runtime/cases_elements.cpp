// Cases of ops on single elements, of windows and of copies.
#include "unit/runtime/kernel_case.hpp"

namespace poet::test::POET_PRECISION {
namespace {

using Map = void (*)(const poet_map_spec*, const poet_real*, poet_real*);
using MapGradient = void (*)(const poet_map_spec*, const poet_real*, const poet_real*, poet_real*);

/// `reads_y`: the gradient reads the output, else the input.
Case map_case(const std::string& name, Map map, MapGradient gradient, bool reads_y) {
  const poet_map_spec m{.count = 60, .slope = static_cast<poet_real>(0.125)};
  return {
      .name = name,
      .inputs = {numbers(60, 20, 8)},
      .output_size = 60,
      .forward = [=](const Inputs& x, poet_real* y) { map(&m, x[0], y); },
      .backward = [=](const Inputs& x, const poet_real* y, const poet_real* dy,
                      const Sinks& dx) { gradient(&m, reads_y ? y : x[0], dy, dx[0].gradient); },
      .over = {0},
      .gradient_over_dy = 0};
}

using Softmax = void (*)(const poet_softmax_spec*, const poet_real*, poet_real*);
using SoftmaxGradient = void (*)(const poet_softmax_spec*, const poet_real*, const poet_real*,
                                 poet_real*);

Case softmax_case(const std::string& name, const poet_softmax_spec& s, Softmax forward,
                  SoftmaxGradient gradient) {
  const auto size = static_cast<std::size_t>(s.outer * s.axis * s.inner);
  return {.name = name,
          .inputs = {numbers(size, 21, 4)},
          .output_size = size,
          .forward = [=](const Inputs& x, poet_real* y) { forward(&s, x[0], y); },
          .backward = [=](const Inputs&, const poet_real* y, const poet_real* dy,
                          const Sinks& dx) { gradient(&s, y, dy, dx[0].gradient); },
          .over = {0},
          .gradient_over_dy = 0};
}

/// Numbers on both sides of the threshold, which is at x = 5.
Case softplus_case() {
  const poet_softplus_spec s{.count = 60, .beta = 4, .threshold = 20};
  return {.name = "softplus",
          .inputs = {numbers(60, 30, 8)},
          .output_size = 60,
          .forward = [=](const Inputs& x, poet_real* y) { poet_softplus(&s, x[0], y); },
          .backward = [=](const Inputs& x, const poet_real*, const poet_real* dy,
                          const Sinks& dx) { poet_softplus_grad(&s, x[0], dy, dx[0].gradient); },
          .over = {0},
          .gradient_over_dy = 0};
}

/// Slopes of both signs.
Case prelu_case(const std::string& name, const poet_prelu_spec& p) {
  const auto size = static_cast<std::size_t>(p.outer * p.channels * p.inner);
  return {.name = name,
          .inputs = {numbers(size, 28), numbers(static_cast<std::size_t>(p.channels), 29, 1)},
          .output_size = size,
          .forward = [=](const Inputs& x, poet_real* y) { poet_prelu(&p, x[0], x[1], y); },
          .backward =
              [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
                // The sink of the slopes may change what the other reads, which may be over dy.
                Tensor kept(dy, dy + size);
                poet_prelu_grad(&p, x[0], dy, x[1], dx[0].gradient);
                poet_prelu_gradw(&p, x[0], kept.data(), &dx[1]);
              },
          .over = {0},
          .gradient_over_dy = 0,
          .trained = {1}};
}

Case dropout_case(const std::string& name, std::int32_t block) {
  const poet_dropout_spec d{
      .count = 48, .block = block, .rate = static_cast<poet_real>(0.375), .seed = {7, 3}};
  return {.name = name,
          .inputs = {numbers(48, 22)},
          .output_size = 48,
          .forward = [=](const Inputs& x, poet_real* y) { poet_dropout(&d, x[0], y); },
          .backward = [=](const Inputs&, const poet_real*, const poet_real* dy,
                          const Sinks& dx) { poet_dropout_grad(&d, dy, dx[0].gradient); },
          .over = {0},
          .gradient_over_dy = 0};
}

/// What it is in an inference.
Case copy_case() {
  const poet_map_spec m{.count = 9, .slope = 0};
  return {.name = "copy",
          .inputs = {numbers(9, 25)},
          .output_size = 9,
          .forward = [=](const Inputs& x, poet_real* y) { poet_copy(&m, x[0], y); },
          .backward = [=](const Inputs&, const poet_real*, const poet_real* dy,
                          const Sinks& dx) { poet_copy(&m, dy, dx[0].gradient); },
          .over = {0},
          .gradient_over_dy = 0};
}

Case cross_entropy_case() {
  const poet_cross_entropy_spec c{.rows = 3, .classes = 5};
  static const std::int32_t kTarget[3] = {4, 0, 2};
  return {
      .name = "cross_entropy",
      .inputs = {numbers(15, 23, 4)},
      .output_size = 1,
      .forward = [=](const Inputs& x, poet_real* y) { poet_cross_entropy(&c, x[0], kTarget, y); },
      .backward =
          [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
            poet_cross_entropy_grad(&c, x[0], kTarget, dy, dx[0].gradient);
          },
      .gradient_over_x = 0};
}

Case mse_case() {
  const poet_map_spec m{.count = 12, .slope = 0};
  const Tensor target = numbers(12, 24);
  return {.name = "mse",
          .inputs = {numbers(12, 25)},
          .output_size = 1,
          .forward = [=](const Inputs& x, poet_real* y) { poet_mse(&m, x[0], target.data(), y); },
          .backward =
              [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
                poet_mse_grad(&m, x[0], target.data(), dy, dx[0].gradient);
              },
          .gradient_over_x = 0};
}

using PoolForward = void (*)(const poet_pool2d_spec*, const poet_real*, poet_real*);
using PoolGradient = void (*)(const poet_pool2d_spec*, const poet_real*, poet_real*);

Case pool_case(const std::string& name, const poet_pool2d_spec& p, PoolForward forward,
               PoolGradient gradient) {
  return {.name = name,
          .inputs = {distinct_numbers(static_cast<std::size_t>(p.planes * p.height * p.width))},
          .output_size = static_cast<std::size_t>(p.planes * p.out_height * p.out_width),
          .forward = [=](const Inputs& x, poet_real* y) { forward(&p, x[0], y); },
          .backward = [=](const Inputs&, const poet_real*, const poet_real* dy,
                          const Sinks& dx) { gradient(&p, dy, dx[0].gradient); }};
}

template <class Index>
Case max_pool_case(const std::string& name, const poet_pool2d_spec& p,
                   void (*find)(const poet_pool2d_spec*, const poet_real*, Index*),
                   void (*gradient)(const poet_pool2d_spec*, const Index*, const poet_real*,
                                    poet_real*)) {
  Case result = pool_case(name, p, poet_max_pool2d, nullptr);
  const std::size_t size = result.output_size;
  result.backward = [=](const Inputs& x, const poet_real*, const poet_real* dy, const Sinks& dx) {
    std::vector<Index> index(size);
    find(&p, x[0], index.data());
    gradient(&p, index.data(), dy, dx[0].gradient);
  };
  return result;
}

using Upsample = void (*)(const poet_upsample2d_spec*, const poet_real*, poet_real*);

Case upsample_case(const std::string& name, Upsample forward, Upsample gradient) {
  const poet_upsample2d_spec u{
      .planes = 2, .height = 3, .width = 4, .scale_height = 2, .scale_width = 3};
  return {.name = name,
          .inputs = {numbers(24, 27)},
          .output_size = 144,
          .forward = [=](const Inputs& x, poet_real* y) { forward(&u, x[0], y); },
          .backward = [=](const Inputs&, const poet_real*, const poet_real* dy,
                          const Sinks& dx) { gradient(&u, dy, dx[0].gradient); }};
}

}  // namespace

void add_elementwise_cases(std::vector<Case>& cases) {
  cases.push_back(map_case("relu", poet_relu, poet_relu_grad, true));
  cases.push_back(map_case("relu6", poet_relu6, poet_relu6_grad, true));
  cases.push_back(map_case("leaky_relu", poet_leaky_relu, poet_leaky_relu_grad, true));
  cases.push_back(map_case("sigmoid", poet_sigmoid, poet_sigmoid_grad, true));
  cases.push_back(map_case("tanh", poet_tanh, poet_tanh_grad, true));
  cases.push_back(map_case("hard_sigmoid", poet_hard_sigmoid, poet_hard_sigmoid_grad, false));
  cases.push_back(map_case("hard_swish", poet_hard_swish, poet_hard_swish_grad, false));
  cases.push_back(map_case("silu", poet_silu, poet_silu_grad, false));
  cases.push_back(map_case("gelu", poet_gelu, poet_gelu_grad, false));
  cases.push_back(map_case("elu", poet_elu, poet_elu_grad, true));
  cases.push_back(softplus_case());
  cases.push_back(prelu_case("prelu", {.outer = 1, .channels = 1, .inner = 40}));
  cases.push_back(prelu_case("prelu_per_channel", {.outer = 3, .channels = 4, .inner = 5}));
  const poet_softmax_spec rows{.outer = 2, .axis = 5, .inner = 3};
  cases.push_back(softmax_case("softmax", rows, poet_softmax, poet_softmax_grad));
  cases.push_back(softmax_case("log_softmax", rows, poet_log_softmax, poet_log_softmax_grad));
  cases.push_back(dropout_case("dropout", 1));
  cases.push_back(dropout_case("stochastic_depth", 12));
  cases.push_back(copy_case());
  cases.push_back(cross_entropy_case());
  cases.push_back(mse_case());
}

void add_window_cases(std::vector<Case>& cases) {
  // Windows that overlap, with padding; the last ones reach beyond it, as with ceil_mode.
  poet_pool2d_spec p{.planes = 2,
                     .height = 6,
                     .width = 7,
                     .out_height = 4,
                     .out_width = 4,
                     .kernel_height = 3,
                     .kernel_width = 2,
                     .stride_height = 2,
                     .stride_width = 2,
                     .pad_top = 1,
                     .pad_left = 0,
                     .count_include_pad = 1};
  cases.push_back(
      max_pool_case<std::uint8_t>("max_pool2d", p, poet_max_pool2d_index, poet_max_pool2d_grad));
  cases.push_back(pool_case("avg_pool2d", p, poet_avg_pool2d, poet_avg_pool2d_grad));
  p.count_include_pad = 0;
  cases.push_back(pool_case("avg_pool2d_without_pad", p, poet_avg_pool2d, poet_avg_pool2d_grad));
  cases.push_back(
      pool_case("adaptive_avg_pool2d", p, poet_adaptive_avg_pool2d, poet_adaptive_avg_pool2d_grad));
  // Signals.
  const poet_pool2d_spec line{.planes = 6,
                              .height = 1,
                              .width = 9,
                              .out_height = 1,
                              .out_width = 5,
                              .kernel_height = 1,
                              .kernel_width = 3,
                              .stride_height = 1,
                              .stride_width = 2,
                              .pad_left = 1,
                              .count_include_pad = 1};
  cases.push_back(
      max_pool_case<std::uint8_t>("max_pool1d", line, poet_max_pool2d_index, poet_max_pool2d_grad));
  cases.push_back(pool_case("avg_pool1d", line, poet_avg_pool2d, poet_avg_pool2d_grad));
  cases.push_back(pool_case("adaptive_avg_pool1d", line, poet_adaptive_avg_pool2d,
                            poet_adaptive_avg_pool2d_grad));
  const poet_pool2d_spec wide{.planes = 1,
                              .height = 18,
                              .width = 18,
                              .out_height = 2,
                              .out_width = 2,
                              .kernel_height = 17,
                              .kernel_width = 17,
                              .stride_height = 1,
                              .stride_width = 1};
  cases.push_back(max_pool_case<std::uint16_t>("max_pool2d_wide", wide, poet_max_pool2d_index_wide,
                                               poet_max_pool2d_grad_wide));
  cases.push_back(
      upsample_case("upsample2d_nearest", poet_upsample2d_nearest, poet_upsample2d_nearest_grad));
  cases.push_back(upsample_case("upsample2d_bilinear", poet_upsample2d_bilinear,
                                poet_upsample2d_bilinear_grad));
}

}  // namespace poet::test::POET_PRECISION
