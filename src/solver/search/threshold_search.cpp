#include "solver/search/threshold_search.hpp"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

constexpr int kPollEvery = 256;
constexpr double kSteeredShare = 0.4;  // of feasible states
constexpr double kPriceChange = 0.002;
constexpr double kTimePriceRange = 1000;  // either way from the first one

class ThresholdSearch {
 public:
  ThresholdSearch(Timeline& timeline, TimelineMoves& moves, const ThresholdSettings& settings,
                  Random& random)
      : timeline_(timeline), moves_(moves), settings_(settings), random_(random) {}

  ThresholdResult run(const std::function<bool()>& stop) {
    result_.price = settings_.price;
    time_price_ = settings_.time_price;
    result_.nearest = now();
    if (timeline_.feasible()) result_.best = now();
    const double cooling = std::log(settings_.cold / settings_.hot);
    const auto moves = static_cast<double>(settings_.moves);
    const std::int64_t most = std::min(settings_.moves, settings_.most_moves);
    double heat = settings_.hot;
    for (; result_.moves < most && !finished_; ++result_.moves) {
      if (result_.moves % kPollEvery == 0) {
        if (stop()) break;
        heat = settings_.hot * std::exp(cooling * static_cast<double>(result_.moves) / moves);
      }
      step(heat);
    }
    return std::move(result_);
  }

 private:
  FoundPlan now() const {
    return {timeline_.entries(), timeline_.extra_energy(), timeline_.violation()};
  }

  void step(double heat) {
    const Units energy = timeline_.extra_energy();
    const Bytes violation = timeline_.violation();
    const Units overtime = timeline_.overtime();
    const double threshold = -heat * std::log(1 - random_.uniform());
    const double most = cost() + threshold;
    if (!moves_.propose(most)) {
      timeline_.rollback();
      return;  // without steering: nothing was learnt of this price
    }
    timeline_.tidy();
    if (cost() <= most && (settings_.steer || timeline_.overtime() <= overtime)) {
      timeline_.commit();
      const bool changed = timeline_.extra_energy() != energy ||
                           timeline_.violation() != violation || timeline_.overtime() != overtime;
      if (changed) note();
    } else {
      timeline_.rollback();
    }
    if (settings_.steer) steer();
  }

  double cost() const {
    return static_cast<double>(timeline_.extra_energy()) +
           result_.price * static_cast<double>(timeline_.violation()) +
           time_price_ * static_cast<double>(timeline_.overtime());
  }

  void note() {
    const Bytes violation = timeline_.violation();
    if (violation < result_.nearest.violation ||
        (!settings_.steer && violation == result_.nearest.violation)) {
      result_.nearest = now();
    }
    if (!timeline_.feasible()) return;
    if (!result_.best || timeline_.extra_energy() < result_.best->energy) result_.best = now();
    finished_ = !settings_.steer;
  }

  void steer() {
    result_.price = std::clamp(result_.price * change(timeline_.violation() == 0),
                               settings_.least_price, settings_.largest_price);
    time_price_ =
        std::clamp(time_price_ * change(timeline_.overtime() == 0),
                   settings_.time_price / kTimePriceRange, settings_.time_price * kTimePriceRange);
  }

  static double change(bool within) {
    return within ? 1 - kPriceChange * (1 - kSteeredShare) : 1 + kPriceChange * kSteeredShare;
  }

  Timeline& timeline_;
  TimelineMoves& moves_;
  const ThresholdSettings& settings_;
  Random& random_;
  ThresholdResult result_;
  double time_price_ = 0;
  bool finished_ = false;
};

}  // namespace

ThresholdResult search_by_threshold(Timeline& timeline, TimelineMoves& moves,
                                    const ThresholdSettings& settings, Random& random,
                                    const std::function<bool()>& stop) {
  return ThresholdSearch(timeline, moves, settings, random).run(stop);
}

}  // namespace poet
