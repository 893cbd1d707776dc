#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

extern "C" {
#include "poet_kernels.h"
}

// The kernels of an op as one differentiable function, so that a test can treat all ops alike.
// Files that include this are compiled twice, with float and with double kernels. Those of the
// double build have other names (CMakeLists.txt), and what is defined here is in another namespace.
#if POET_KIND_OF(POET_REAL) == POET_KIND_double
#define POET_PRECISION double_precision
#else
#define POET_PRECISION float_precision
#endif

namespace poet::test {

/// What a case computes: y, then the gradient of each input for a fixed dy.
struct CaseValues {
  std::string name;
  std::vector<std::vector<double>> tensors;
};

// run_cases.cpp, in both builds
namespace float_precision {
std::vector<CaseValues> values_of_all_cases();
}
namespace double_precision {
std::vector<CaseValues> values_of_all_cases();
}

}  // namespace poet::test

namespace poet::test::POET_PRECISION {

using Tensor = std::vector<poet_real>;
using Inputs = std::vector<const poet_real*>;
using Sinks = std::vector<poet_sink>;

struct Case {
  std::string name;
  std::vector<Tensor> inputs;  ///< tensors and parameters, away from kinks
  std::size_t output_size = 0;
  std::function<void(const Inputs& x, poet_real* y)> forward{};
  /// A sink for each input.
  std::function<void(const Inputs& x, const poet_real* y, const poet_real* dy, const Sinks& dx)>
      backward{};
  std::vector<int> over{};     ///< inputs that y may be computed over
  int gradient_over_dy = -1;   ///< the input whose gradient may be computed over dy
  int gradient_over_x = -1;    ///< the input whose gradient may be computed over itself
  std::vector<int> trained{};  ///< inputs whose gradients a sink may apply at once
};

/// Odd multiples of 1/64 between -limit and limit, the same in both builds and on every machine.
/// The kinks of all ops are at even multiples.
inline Tensor numbers(std::size_t count, std::uint32_t seed, int limit = 2) {
  Tensor result(count);
  for (poet_real& number : result) {
    seed = seed * 1664525u + 1013904223u;
    const auto step = static_cast<int>((seed >> 8) % static_cast<std::uint32_t>(64 * limit));
    number = static_cast<poet_real>(2 * step - 64 * limit + 1) / 64;
  }
  return result;
}

/// Odd multiples of 1/64 without repetition, in a scattered order.
inline Tensor distinct_numbers(std::size_t count) {
  Tensor result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t step = i * 7919 % count;  // a prime that divides no count in use
    result[i] = (2 * static_cast<poet_real>(step) - static_cast<poet_real>(count) + 1) / 64;
  }
  return result;
}

/// An uneven image, strides that leave a rest, padding and dilation that differ by axis.
inline constexpr poet_conv2d_spec kConvolution{.batch = 2,
                                               .channels = 4,
                                               .height = 6,
                                               .width = 7,
                                               .filters = 6,
                                               .map_height = 3,
                                               .map_width = 5,
                                               .kernel_height = 3,
                                               .kernel_width = 2,
                                               .stride_height = 2,
                                               .stride_width = 1,
                                               .pad_top = 1,
                                               .pad_left = 0,
                                               .dilation_height = 1,
                                               .dilation_width = 2,
                                               .groups = 2,
                                               .has_bias = 1};

inline poet_sink store_in(poet_real* gradient) {
  poet_sink sink{};
  sink.gradient = gradient;
  return sink;
}

// By family.
void add_conv_cases(std::vector<Case>& cases);
void add_dense_cases(std::vector<Case>& cases);
void add_norm_cases(std::vector<Case>& cases);
void add_elementwise_cases(std::vector<Case>& cases);
void add_window_cases(std::vector<Case>& cases);
void add_shape_cases(std::vector<Case>& cases);
void add_sequence_cases(std::vector<Case>& cases);

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_conv_cases(cases);
  add_dense_cases(cases);
  add_norm_cases(cases);
  add_elementwise_cases(cases);
  add_window_cases(cases);
  add_shape_cases(cases);
  add_sequence_cases(cases);
  return cases;
}

inline Inputs pointers(const std::vector<Tensor>& tensors) {
  Inputs result;
  for (const Tensor& tensor : tensors) result.push_back(tensor.data());
  return result;
}

inline Tensor dy_of(const Case& item) {
  return numbers(item.output_size, 77, 1);
}

/// y, then the gradient of each input.
inline std::vector<Tensor> run(const Case& item) {
  std::vector<Tensor> results = {Tensor(item.output_size)};
  const Inputs x = pointers(item.inputs);
  item.forward(x, results[0].data());
  for (const Tensor& input : item.inputs) results.emplace_back(input.size());
  Sinks sinks;
  for (std::size_t i = 1; i < results.size(); ++i) sinks.push_back(store_in(results[i].data()));
  item.backward(x, results[0].data(), dy_of(item).data(), sinks);
  return results;
}

}  // namespace poet::test::POET_PRECISION
