#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "step/training_step.hpp"

namespace poet {

/// A weight as bytes: element i is bytes[i] times the scale of its row, an index of the first
/// extent. Symmetric quantisation for each output channel, as TensorFlow Lite's 8-bit
/// specification has it for weights, but for the scale, whose precision is limited.
struct Int8Weights {
  std::vector<std::int8_t> bytes;  ///< within +-127
  std::vector<float> scales;       ///< by row
};

/// The nearest weight of this form; a tie goes to the even byte. A scale is the largest magnitude
/// of its row over 127, rounded up to 16 significant bits. So products of bytes and scales are
/// exact in float32, and rounding such products gives the same bytes and scales again. Throws
/// InputError for a weight that is not finite, or beyond 2^127.
Int8Weights int8_weights(std::span<const float> weight, std::int64_t rows);

/// Puts the products in the place of the weight, which is the first tensor of a layer's
/// `parameters`; biases stay. Throws InputError as above.
void round_to_int8(const StepParameters& of, std::vector<float>& parameters);

/// The kernel that reads the weight as bytes, and their scales behind them, in the place of one
/// that reads floats. Throws InternalError without one.
Kernel kernel_of_int8(const Kernel& kernel);

}  // namespace poet
