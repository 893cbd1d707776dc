// Frozen weights of one byte. They are rounded once, when numbers become parameters, and from then
// on `run` computes with floats that are products of a byte and a scale. A device reads bytes and
// scales, and multiplies. As these products are exact, both have the same bits, and a file of
// parameters keeps the floats of every layer, whichever of them are bytes on a device.

#include "step/int8_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "model/shape.hpp"
#include "poet/error.hpp"
#include "step/kernels.hpp"

namespace poet {
namespace {

constexpr double kLargestByte = 127;
constexpr int kScaleBits = 16;  // and 7 of a byte are no more than the 24 of a float
/// Smaller ones would be rounded as denormal numbers, with fewer bits.
constexpr int kLeastScaleExponent = -100;
constexpr int kMostExponent = 127;  // a scale that is rounded up stays finite

float scale_of(double largest) {
  if (!(largest <= std::ldexp(1, kMostExponent))) {
    throw InputError(
        fmt::format("found the weight {}; expected a finite one of at most 2^{}, to make it a byte "
                    "and a scale",
                    largest, kMostExponent));
  }
  int exponent = 0;
  const double fraction = std::frexp(largest / kLargestByte, &exponent);
  const double rounded = std::ldexp(std::ceil(std::ldexp(fraction, kScaleBits)), -kScaleBits);
  return static_cast<float>(
      std::max(std::ldexp(rounded, exponent), std::ldexp(1, kLeastScaleExponent)));
}

/// std::max() would lose a NaN.
double largest_magnitude(std::span<const float> weights) {
  double largest = 0;
  for (const float weight : weights) {
    const double magnitude = std::fabs(weight);
    if (!(magnitude <= largest)) largest = magnitude;
    if (std::isnan(largest)) break;
  }
  return largest;
}

}  // namespace

Int8Weights int8_weights(std::span<const float> weight, std::int64_t rows) {
  Int8Weights made;
  made.bytes.reserve(weight.size());
  const std::size_t width = weight.size() / static_cast<std::size_t>(rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto of_row = weight.subspan(static_cast<std::size_t>(row) * width, width);
    const float scale = scale_of(largest_magnitude(of_row));
    made.scales.push_back(scale);
    for (const float each : of_row) {
      made.bytes.push_back(static_cast<std::int8_t>(std::nearbyint(double{each} / double{scale})));
    }
  }
  return made;
}

void round_to_int8(const StepParameters& of, std::vector<float>& parameters) {
  const Shape& shape = of.tensors.front().shape;
  const std::span<float> weight(parameters.data(), static_cast<std::size_t>(element_count(shape)));
  const Int8Weights made = int8_weights(weight, shape.front());
  const std::size_t width = weight.size() / made.scales.size();
  for (std::size_t i = 0; i < weight.size(); ++i) {
    weight[i] = static_cast<float>(made.bytes[i]) * made.scales[i / width];
  }
}

Kernel kernel_of_int8(const Kernel& kernel) {
  static const std::array<std::pair<Kernel, Kernel>, 5> pairs = {{
      {kKernelOf<poet_conv2d>.kernel, kKernelOf<poet_conv2d_int8>.kernel},
      {kKernelOf<poet_conv2d_grad>.kernel, kKernelOf<poet_conv2d_int8_grad>.kernel},
      {kKernelOf<poet_linear>.kernel, kKernelOf<poet_linear_int8>.kernel},
      {kKernelOf<poet_linear_relu>.kernel, kKernelOf<poet_linear_relu_int8>.kernel},
      {kKernelOf<poet_linear_grad>.kernel, kKernelOf<poet_linear_int8_grad>.kernel},
  }};
  const auto found = std::find_if(pairs.begin(), pairs.end(),
                                  [&](const auto& pair) { return pair.first.name == kernel.name; });
  if (found != pairs.end()) return found->second;
  throw InternalError(fmt::format("{} reads no weights of one byte", kernel.name));
}

}  // namespace poet
