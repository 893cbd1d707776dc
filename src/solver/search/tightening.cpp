#include "solver/search/tightening.hpp"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

constexpr double kCut = 0.01;          // of the budget, in one step
constexpr int kStepMovesPerNode = 60;  // of one search
constexpr int kMaxPatience = 20;       // failures that make searches longer
constexpr int kFailures = 12;          // after which a smaller step is tried
constexpr double kSmallerCut = 0.6;
constexpr double kHeat = 5;  // of the energy scale, at most; cooler searches get stuck much earlier
constexpr double kCooling = 0.05;

class Tightening {
 public:
  Tightening(Timeline& timeline, TimelineMoves& moves, const SearchScales& scales, Random& random)
      : timeline_(timeline), moves_(moves), scales_(scales), random_(random) {}

  std::optional<FoundPlan> run(std::int64_t& moves_left, const std::function<bool()>& stop) {
    const Bytes target = timeline_.costs().ram_budget;
    timeline_.restore({});
    std::vector<Entry> good;  // of the last step that succeeded
    Bytes level = timeline_.ram().peak();
    set_budget(std::max(target, lowered(level)));
    FoundPlan nearest{good, 0, timeline_.violation()};
    for (int failures = 0; moves_left > 0 && !stop();) {
      const ThresholdResult result = search_once(nearest, failures, moves_left, stop);
      moves_left -= std::max<std::int64_t>(1, result.moves);
      if (result.nearest.violation > 0 || !result.best) {
        ++failures;
        if (result.nearest.violation <= nearest.violation) nearest = result.nearest;
        if (failures % kFailures != 0) continue;
        // Back to the last good plan, with a smaller step.
        const auto step = static_cast<double>(level - timeline_.ram().budget());
        set_budget(
            std::max(target, level - std::max<Bytes>(1, static_cast<Bytes>(kSmallerCut * step))));
        timeline_.restore(good);
        nearest = {good, 0, timeline_.violation()};
        continue;
      }
      good = result.best->entries;
      timeline_.restore(good);
      level = timeline_.ram().peak();
      if (level <= target) {
        set_budget(target);
        return FoundPlan{good, timeline_.extra_energy(), 0};
      }
      failures = 0;
      set_budget(std::max(target, std::min(level - 1, lowered(level))));
      nearest = {good, 0, timeline_.violation()};
    }
    set_budget(target);
    return std::nullopt;
  }

 private:
  static Bytes lowered(Bytes level) {
    return static_cast<Bytes>(static_cast<double>(level) * (1 - kCut));
  }

  void set_budget(Bytes budget) { timeline_.set_ram_budget(budget); }

  ThresholdResult search_once(const FoundPlan& start, int failures, std::int64_t moves_left,
                              const std::function<bool()>& stop) {
    timeline_.restore(start.entries);
    const bool everywhere = random_.uniform() > 0.5 || start.violation == 0;
    moves_.set_window(everywhere ? StageWindow{0, timeline_.size() - 1} : window_of_trouble());
    const double hot = scales_.energy * kHeat * std::pow(5.0, -random_.uniform());
    // The bytes that are worth the heat: from a hundredth of the budget to a ten thousandth.
    const double bytes = static_cast<double>(std::max<Bytes>(1, timeline_.ram().budget())) *
                         std::pow(10.0, -2 - 2 * random_.uniform());
    const std::int64_t count =
        std::int64_t{kStepMovesPerNode} * timeline_.size() * (1 + std::min(failures, kMaxPatience));
    return search_by_threshold(timeline_, moves_,
                               {.moves = std::min(count, moves_left),
                                .hot = hot,
                                .cold = kCooling * hot,
                                .price = hot / bytes,
                                .steer = false},
                               random_, stop);
  }

  /// The stages around one that is over the budget.
  StageWindow window_of_trouble() {
    const RamProfile& ram = timeline_.ram();
    int stage = 0;
    for (int event = 0; event < ram.events(); ++event) {
      if (ram.ram(event) > ram.budget() && random_.below(3) == 0) stage = ram.stage_of_event(event);
    }
    const int reach = static_cast<int>(0.05 * timeline_.size() * std::pow(8.0, random_.uniform()));
    return {std::max(0, stage - reach), std::min(timeline_.size() - 1, stage + reach)};
  }

  Timeline& timeline_;
  TimelineMoves& moves_;
  const SearchScales& scales_;
  Random& random_;
};

}  // namespace

SearchScales scales_of(const WholeCosts& costs) {
  double energy = 0;
  double bytes = 0;
  double time = 0;
  const Limits& limits = costs.problem->limits;
  for (const NodeCosts& node : costs.nodes) {
    const auto computed = static_cast<double>(node.energy);
    const auto paged = static_cast<double>(node.page_in_energy + node.page_out_energy);
    bytes += static_cast<double>(node.bytes);
    time += static_cast<double>(node.time);
    if (limits.techniques.remat && limits.techniques.paging) {
      energy += std::min(computed, paged);
    } else {
      energy += limits.techniques.remat ? computed : paged;
    }
  }
  return {.energy = std::max(1.0, energy / costs.size()),
          .price = std::max(1.0, energy) / std::max(1.0, bytes),
          .time = std::max(1.0, energy) / std::max(1.0, time)};
}

std::optional<FoundPlan> tighten(Timeline& timeline, TimelineMoves& moves,
                                 const SearchScales& scales, Random& random,
                                 std::int64_t& moves_left, const std::function<bool()>& stop) {
  return Tightening(timeline, moves, scales, random).run(moves_left, stop);
}

}  // namespace poet
