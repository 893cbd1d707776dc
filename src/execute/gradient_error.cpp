// What copies do to gradients is measured and not promised: the step without copies is computed
// beside the last one, from the same parameters and data. Sums are in double precision, as the sums
// of millions of squares would lose their last terms in float.

#include "execute/gradient_error.hpp"

#include <cmath>

namespace poet {

GradientError gradient_error(const std::vector<float>& found, const std::vector<float>& exact) {
  double products = 0;
  double found_squares = 0;
  double exact_squares = 0;
  double difference_squares = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double a{found[i]};
    const double b{exact[i]};
    products += a * b;
    found_squares += a * a;
    exact_squares += b * b;
    difference_squares += (a - b) * (a - b);
  }
  if (found_squares == 0 && exact_squares == 0) return {};
  return {.relative_difference = std::sqrt(difference_squares / exact_squares),
          .cosine = products / std::sqrt(found_squares * exact_squares)};
}

void measure_errors(const TrainingStep& exact, TrainingState before, const TrainingState& found,
                    std::vector<GradientResult>& results) {
  compute_unscheduled(exact, before);
  auto result = results.begin();
  for (std::size_t p = 0; p < exact.parameters.size(); ++p) {
    if (!exact.parameters[p].is_trained) continue;
    (result++)->error = gradient_error(found.gradients[p], before.gradients[p]);
  }
}

}  // namespace poet
