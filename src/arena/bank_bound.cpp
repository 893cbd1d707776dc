// The bound on what a placement over banks costs. It forgets offsets and keeps the sums: in no
// section may the buffers of a bank have more bytes than the bank. Each of these rows gets a price,
// from 0 on, for a byte. Then each buffer goes where its cost and the price of its bytes are least,
// and what the capacities are worth at these prices is taken off (Lagrangian relaxation; Held,
// Wolfe and Crowder, "Validation of subgradient optimization", Mathematical Programming 6, 1974).
// Any prices prove a bound, so that it does not matter how good these are. The best prices prove as
// much as the linear relaxation of the assignment.

#include <algorithm>
#include <cmath>
#include <limits>

#include "arena/bank_model.hpp"

namespace poet {
namespace {

constexpr int kSteps = 400;
constexpr int kPatience = 15;  ///< steps without a better bound until steps get shorter

class Pricing {
 public:
  explicit Pricing(const BankModel& model)
      : model_(model),
        prices_(static_cast<std::size_t>(model.banks()) * model.sections, 0),
        slopes_(prices_.size()) {}

  BankBound run(double aim) {
    BankBound best;
    best.bound = -std::numeric_limits<double>::infinity();
    double length = 1;
    int idle = 0;
    for (int step = 0; step < kSteps; ++step) {
      BankBound found = price();
      const double slope = slope_squared();
      const bool is_better = found.bound > best.bound;
      const double bound = found.bound;
      if (is_better) best = std::move(found);
      idle = is_better ? 0 : idle + 1;
      if (slope == 0 || !std::isfinite(bound)) break;
      if (idle == kPatience) {
        length /= 2;
        idle = 0;
      }
      // Without a known placement, the aim is a little above the bound.
      const double goal = std::isfinite(aim) ? aim : best.bound * 1.05 + 1e-12;
      const double gap = std::max(goal - bound, 1e-9 * std::abs(goal));
      follow(length * gap / slope);
    }
    return best;
  }

 private:
  /// The bound at the prices; slopes become the bytes by which each section is over its capacity.
  BankBound price() {
    const int banks = model_.banks();
    std::vector<double> sums(static_cast<std::size_t>(banks) * (model_.sections + 1), 0);
    BankBound found;
    for (int k = 0; k < banks; ++k) {
      double* sum = &sums[static_cast<std::size_t>(k) * (model_.sections + 1)];
      for (int s = 0; s < model_.sections; ++s) {
        sum[s + 1] = sum[s] + prices_[k * model_.sections + s];
        slopes_[k * model_.sections + s] = -static_cast<double>(model_.capacities[k]);
      }
      found.of_capacities += sum[model_.sections] * static_cast<double>(model_.capacities[k]);
    }
    found.bound = -found.of_capacities;
    found.costs.resize(model_.costs.size());
    for (int b = 0; b < model_.buffers(); ++b) {
      const SectionRange& range = model_.ranges[b];
      int best = 0;
      for (int k = 0; k < banks; ++k) {
        const double* sum = &sums[static_cast<std::size_t>(k) * (model_.sections + 1)];
        double& cost = found.costs[b * banks + k];
        cost = model_.cost(b, k) +
               (sum[range.end] - sum[range.first]) * static_cast<double>(model_.bytes[b]);
        if (cost < found.costs[b * banks + best]) best = k;
      }
      found.bound += found.costs[b * banks + best];
      for (int s = range.first; s < range.end; ++s) {
        slopes_[best * model_.sections + s] += static_cast<double>(model_.bytes[b]);
      }
    }
    return found;
  }

  /// A price of 0 does not fall, so that its slope does not count.
  double slope_squared() const {
    double sum = 0;
    for (std::size_t i = 0; i < prices_.size(); ++i) {
      if (prices_[i] > 0 || slopes_[i] > 0) sum += slopes_[i] * slopes_[i];
    }
    return sum;
  }

  void follow(double length) {
    for (std::size_t i = 0; i < prices_.size(); ++i) {
      prices_[i] = std::max(0.0, prices_[i] + length * slopes_[i]);
    }
  }

  const BankModel& model_;
  std::vector<double> prices_;  ///< by bank and section, of a byte
  std::vector<double> slopes_;  ///< likewise
};

}  // namespace

BankBound bank_bound(const BankModel& model, double aim) {
  return Pricing(model).run(aim);
}

}  // namespace poet
