#include "solver/milp/dual_bound.hpp"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

constexpr double kNoBound = 1e30;
/// Rounding is at most this share of the sum of magnitudes for each term of the sum: a long double
/// has 64 bits on x86. With 53 bits, on other machines, sums are a little less safe.
constexpr long double kRoundingPerTerm = 0x1p-64L;
/// Sums of fewer terms count as ones of so many.
constexpr long double kMinTerms = 0x1p16L;

/// A sum and a bound on the rounding in it.
class SafeSum {
 public:
  void add(long double term) {
    sum_ += term;
    ++terms_;
    magnitude_ += std::abs(term);
  }
  void add_magnitude(long double magnitude) { magnitude_ += magnitude; }
  double from_below() const {
    const long double rounding = kRoundingPerTerm * std::max(kMinTerms, terms_);
    return static_cast<double>(sum_ - rounding * magnitude_);
  }

 private:
  long double sum_ = 0;
  long double magnitude_ = 0;
  long double terms_ = 0;
};

/// The end of a range that minimises factor * x.
double cheapest(long double factor, double lower, double upper) {
  return factor > 0 ? lower : upper;
}

/// The prices, or 0 for a row without the bound that its price needs: the proof leaves it out.
std::vector<double> usable(const LinearProgramView& program, std::span<const double> prices) {
  std::vector<double> result(prices.begin(), prices.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double bound = cheapest(result[i], program.row_lower[i], program.row_upper[i]);
    if (!std::isfinite(result[i]) || std::abs(bound) >= kNoBound) result[i] = 0;
  }
  return result;
}

DualBound bound_of(const LinearProgramView& program, std::span<const double> costs,
                   std::span<const double> prices) {
  const std::vector<double> price = usable(program, prices);
  DualBound bound;
  SafeSum sum;
  for (std::size_t i = 0; i < price.size(); ++i) {
    if (price[i] == 0) continue;
    sum.add(static_cast<long double>(price[i]) *
            cheapest(price[i], program.row_lower[i], program.row_upper[i]));
  }
  bound.reduced_costs.reserve(program.starts.size());
  for (std::size_t j = 0; j < program.lengths.size(); ++j) {
    long double reduced = costs.empty() ? 0 : costs[j];
    long double magnitude = std::abs(reduced);
    for (int k = program.starts[j]; k < program.starts[j] + program.lengths[j]; ++k) {
      const long double term =
          static_cast<long double>(program.elements[k]) * price[program.rows[k]];
      reduced -= term;
      magnitude += std::abs(term);
    }
    bound.reduced_costs.push_back(static_cast<double>(reduced));
    if (magnitude == 0) continue;
    const double lower = program.column_lower[j];
    const double upper = program.column_upper[j];
    if (reduced != 0) sum.add(reduced * cheapest(reduced, lower, upper));
    // Rounding may even have changed the sign.
    sum.add_magnitude(magnitude * std::max(std::abs(lower), std::abs(upper)));
  }
  bound.value = sum.from_below();
  return bound;
}

}  // namespace

DualBound dual_bound(const LinearProgramView& program, std::span<const double> prices) {
  return bound_of(program, program.costs, prices);
}

bool proves_infeasible(const LinearProgramView& program, std::span<const double> prices) {
  return bound_of(program, {}, prices).value > 0;
}

}  // namespace poet
