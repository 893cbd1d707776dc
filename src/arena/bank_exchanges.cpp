// Which bank for which buffer, by exchanges: a buffer moves to another bank, and what stands in its
// way there moves on, each to the cheapest bank with room. A change that costs no more than a
// threshold is kept; the threshold falls to 0 (threshold accepting; Dueck and Scheuer, Journal of
// Computational Physics 90, 1990). A buffer may be in no bank, at a price above all others, so that
// the same search looks for any placement at all. Random numbers come from a fixed seed.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "arena/bank_model.hpp"

namespace poet {
namespace {

/// Of the dearest change that is possible, at the start.
constexpr double kFirstThreshold = 0.05;

class Exchanges {
 public:
  Exchanges(const BankModel& model, const std::vector<int>& start)
      : model_(model), loads_(model), outside_(0) {
    for (int b = 0; b < model.buffers(); ++b) {
      if (model.bytes[b] > 0) movable_.push_back(b);
      for (int k = 0; k < model.banks(); ++k) {
        if (std::isfinite(model.cost(b, k))) dearest_ = std::max(dearest_, model.cost(b, k));
        if (std::isfinite(model.cost(b, k))) outside_ += model.cost(b, k);
      }
    }
    // One byte outside costs more than all buffers in their dearest banks.
    outside_ = outside_ > 0 ? outside_ : 1;
    for (int b = 0; b < model.buffers(); ++b) {
      if (start[b] >= 0 && loads_.fits(b, start[b])) loads_.put(b, start[b]);
      cost_ += price(b, loads_.bank_of(b));
    }
  }

  std::vector<int> run(std::int64_t moves) {
    std::vector<int> best = loads_.banks();
    double least = cost_;
    if (movable_.empty()) return best;
    for (std::int64_t m = 0; m < moves; ++m) {
      const double left = 1 - static_cast<double>(m) / static_cast<double>(moves);
      try_move(kFirstThreshold * dearest_ * left * left);
      if (cost_ >= least * (1 - kNoise)) continue;
      least = cost_;
      best = loads_.banks();
    }
    return best;
  }

 private:
  static constexpr double kNoise = 1e-12;  ///< what sums of doubles may be off by

  double price(int buffer, int bank) const {
    return bank >= 0 ? model_.cost(buffer, bank)
                     : outside_ * (1 + static_cast<double>(model_.bytes[buffer]));
  }

  struct Step {
    int buffer = 0;
    int from = 0;
  };

  void move(int buffer, int bank) {
    const int from = loads_.bank_of(buffer);
    done_.push_back({.buffer = buffer, .from = from});
    cost_ += price(buffer, bank) - price(buffer, from);
    if (from >= 0) loads_.take(buffer);
    if (bank >= 0) loads_.put(buffer, bank);
  }

  void try_move(double threshold) {
    const int buffer = movable_[random_() % movable_.size()];
    const int bank = static_cast<int>(random_() % model_.banks());
    if (bank == loads_.bank_of(buffer) || !std::isfinite(model_.cost(buffer, bank))) return;
    const double before = cost_;
    done_.clear();
    std::vector<int> out;
    if (!loads_.fits(buffer, bank)) out = make_room(buffer, bank);
    move(buffer, bank);
    for (const int b : out) move_to_cheapest(b);
    if (cost_ <= before + threshold) return;
    for (auto step = done_.rbegin(); step != done_.rend(); ++step) {
      if (loads_.bank_of(step->buffer) >= 0) loads_.take(step->buffer);
      if (step->from >= 0) loads_.put(step->buffer, step->from);
    }
    cost_ = before;
  }

  /// Takes buffers out of a bank until one fits: those first whose bytes are worth least there.
  std::vector<int> make_room(int buffer, int bank) {
    std::vector<std::pair<double, int>> rivals;
    for (const int b : movable_) {
      if (loads_.bank_of(b) != bank || b == buffer) continue;
      if (!overlap(model_.ranges[b], model_.ranges[buffer])) continue;
      const double worth = next_cost(b, bank) - model_.cost(b, bank);
      const double bytes = static_cast<double>(model_.bytes[b]);
      rivals.emplace_back(worth / bytes * (0.5 + random_share()), b);
    }
    std::sort(rivals.begin(), rivals.end());
    std::vector<int> out;
    for (const auto& [worth, b] : rivals) {
      if (loads_.fits(buffer, bank)) break;
      move(b, -1);
      out.push_back(b);
    }
    // The large ones have fewer banks to go to.
    std::sort(out.begin(), out.end(), [&](int a, int b) {
      return std::pair(-model_.bytes[a], a) < std::pair(-model_.bytes[b], b);
    });
    return out;
  }

  /// What a buffer costs in the cheapest of the other banks, whether or not it has room there.
  double next_cost(int buffer, int bank) const {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < model_.banks(); ++k) {
      if (k != bank) least = std::min(least, model_.cost(buffer, k));
    }
    return std::isfinite(least) ? least : price(buffer, -1);
  }

  void move_to_cheapest(int buffer) {
    int best = -1;
    for (int k = 0; k < model_.banks(); ++k) {
      if (best >= 0 && model_.cost(buffer, k) >= model_.cost(buffer, best)) continue;
      if (loads_.fits(buffer, k)) best = k;
    }
    if (best >= 0) move(buffer, best);
  }

  /// From 0 to 1. The standard distributions differ between libraries.
  double random_share() {
    return static_cast<double>(random_()) / static_cast<double>(std::mt19937::max());
  }

  const BankModel& model_;
  BankLoads loads_;
  double outside_;  ///< of a byte in no bank
  double dearest_ = 0;
  double cost_ = 0;
  std::vector<int> movable_;
  std::vector<Step> done_;
  std::mt19937 random_;
};

}  // namespace

std::vector<int> exchange_banks(const BankModel& model, const std::vector<int>& start,
                                std::int64_t moves) {
  return Exchanges(model, start).run(moves);
}

}  // namespace poet
