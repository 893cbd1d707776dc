#include "solver/search/anneal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "solver/search/idle_spans.hpp"

namespace poet {
namespace {

constexpr int kPollInterval = 1024;
constexpr double kFeasibleShare = 0.8;  // of the states; an annealing refuses most moves
constexpr double kPriceStep = 1.03;     // largest change of a price in one move
constexpr double kPriceRange = 30;      // factor on either side of the observed price
constexpr int kMaxSpans = 5;            // changed in one move
constexpr int kNeighbourhood = 10;      // how far apart, in nodes, they lie

/// The n-th set bit of a | b.
int nth_bit(std::span<const Word> a, std::span<const Word> b, int n) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    Word both = a[w] | b[w];
    const int count = std::popcount(both);
    if (n >= count) {
      n -= count;
      continue;
    }
    for (; n > 0; --n) both &= both - 1;
    return static_cast<int>(w) * kWordBits + std::countr_zero(both);
  }
  return -1;
}

/// Picks a tensor that stage t holds at its start or computes. Most picks among all nodes would be
/// void.
int pick_node(const Plan& plan, int t, Random& random) {
  const auto held = plan.residents(t);
  const auto computed = plan.computations(t);
  int count = 0;
  for (std::size_t w = 0; w < held.size(); ++w) count += std::popcount(held[w] | computed[w]);
  return nth_bit(held, computed, random.below(count));
}

class Annealer {
 public:
  Annealer(Plan& plan, const AnnealSettings& settings, const AnnealScales& scales, Random& random)
      : plan_(plan), settings_(settings), scales_(scales), random_(random) {}

  std::optional<Plan> run(const std::function<bool()>& stop) {
    note_best();
    const double cooling = std::log(settings_.end / settings_.start);
    Joules temperature = 0;
    for (int move = 0; move < settings_.moves; ++move) {
      if (move % kPollInterval == 0 && stop()) break;
      if (move % 64 == 0) {
        temperature =
            scales_.temperature * settings_.start * std::exp(cooling * move / settings_.moves);
      }
      step(temperature);
    }
    return std::move(best_);
  }

 private:
  void step(Joules temperature) {
    const Joules before = cost();
    if (!propose()) return;
    plan_.settle();
    const Joules change = cost() - before;
    if (change <= 0 || random_.uniform() < std::exp(-change / temperature)) {
      plan_.commit();
      if (change != 0) note_best();
    } else {
      plan_.rollback();
    }
    adapt_prices();
  }

  bool propose() {
    const AnnealWindow& window = settings_.window;
    const int t = window.first_stage + random_.below(window.last_stage - window.first_stage + 1);
    int node = pick_node(plan_, t, random_);
    if (node < window.first_node || node > window.last_node) return false;
    const int boundary = node < t && random_.below(2) == 0 ? t : t + 1;
    bool changed = change_span(node, boundary);
    if (!changed) return false;
    for (int more = random_.below(kMaxSpans + 1) - 1; more > 0; --more) {
      const int neighbour =
          node + (random_.below(2) == 0 ? -1 : 1) * (1 + random_.below(kNeighbourhood));
      if (neighbour < window.first_node || neighbour > window.last_node) continue;
      plan_.settle();  // the next gap depends on what the last change made of the stages
      change_span(neighbour, boundary);
    }
    return true;
  }

  bool change_span(int node, int boundary) {
    if (boundary <= node || boundary >= plan_.size()) return false;
    const auto span = find_idle_span(plan_, node, boundary);
    if (!span) return false;
    const SpanMode now = mode_of(plan_, *span);
    const auto mode = static_cast<SpanMode>(random_.below(3));
    if (mode == now || !allows(plan_, *span, mode)) return false;
    set_mode(plan_, *span, mode);
    return true;
  }

  Joules cost() const {
    return plan_.extra_energy() +
           byte_price_ * scales_.joules_per_byte * static_cast<double>(plan_.violation()) +
           time_price_ * scales_.joules_per_second * plan_.overtime();
  }

  /// The price of RAM, and that of time, settle at the share kFeasibleShare of states that keep the
  /// budget.
  void adapt_prices() {
    static const double cheaper = std::pow(kPriceStep, -(1 - kFeasibleShare));
    static const double dearer = std::pow(kPriceStep, kFeasibleShare);
    const auto adapt = [](double& price, bool kept) {
      price = std::clamp(price * (kept ? cheaper : dearer), 1 / kPriceRange, kPriceRange);
    };
    adapt(byte_price_, plan_.violation() == 0);
    adapt(time_price_, plan_.overtime() <= 0);
  }

  void note_best() {
    if (!plan_.feasible()) return;
    if (best_ && plan_.extra_energy() >= best_->extra_energy()) return;
    best_ = plan_;
  }

  Plan& plan_;
  const AnnealSettings& settings_;
  const AnnealScales& scales_;
  Random& random_;
  double byte_price_ = 1;
  double time_price_ = 1;
  std::optional<Plan> best_;
};

}  // namespace

std::optional<Plan> anneal(Plan& plan, const AnnealSettings& settings, const AnnealScales& scales,
                           Random& random, const std::function<bool()>& stop) {
  return Annealer(plan, settings, scales, random).run(stop);
}

}  // namespace poet
