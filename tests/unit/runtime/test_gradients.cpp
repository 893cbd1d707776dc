// The gradients of the double build against central differences of its forward passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit/runtime/kernel_case.hpp"

namespace poet::test::POET_PRECISION {
namespace {

/// The sum of y dy, whose gradient the backward pass gives.
double loss(const Case& item, const std::vector<Tensor>& inputs, const Tensor& dy) {
  Tensor y(item.output_size);
  item.forward(pointers(inputs), y.data());
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * dy[i];
  return sum;
}

double central_difference(const Case& item, std::vector<Tensor> inputs, const Tensor& dy,
                          std::size_t input, std::size_t element) {
  constexpr double kDifference = 1.0 / 65536;
  double& x = inputs[input][element];
  const double at = x;
  x = at + kDifference;
  const double after = loss(item, inputs, dy);
  x = at - kDifference;
  return (after - loss(item, inputs, dy)) / (2 * kDifference);
}

TEST(KernelGradient, IsThatOfTheForwardPass) {
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    const Tensor dy = dy_of(item);
    const std::vector<Tensor> results = run(item);
    for (std::size_t input = 0; input < item.inputs.size(); ++input) {
      const Tensor& gradient = results[input + 1];
      double largest = 0;
      for (const double g : gradient) largest = std::max(largest, std::abs(g));
      ASSERT_GT(largest, 0) << "input " << input;
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        EXPECT_NEAR(gradient[i], central_difference(item, item.inputs, dy, input, i),
                    1e-6 * largest)
            << "input " << input << ", element " << i;
      }
    }
  }
}

}  // namespace
}  // namespace poet::test::POET_PRECISION
