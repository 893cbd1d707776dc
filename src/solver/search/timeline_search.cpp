#include "solver/search/timeline_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "solver/search/tightening.hpp"

namespace poet {
namespace {

constexpr int kMovesPerNode = 300;  // of a chain's first search; more for large graphs
constexpr int kLargeGraph = 250;    // nodes
constexpr double kGrowth = 1.5;     // of chains
constexpr int kCycle = 4;           // chains that differ in their start
constexpr double kRefining = 0.8;   // moves without a better plan, over those of the first search
/// First heats of chains, in turn, of the energy scale. Low budgets and large graphs want the
/// hottest; in chains of layers, whose costs differ by orders of magnitude, the best plans are
/// found by the coolest.
constexpr double kHot[] = {1, 0.3, 0.1};
constexpr double kCold = 0.004;
constexpr double kTightening = 20;  // moves to find some plan, at most, over those of a long chain
constexpr int kMostEntries = 3;     // of a start, for each node; chains from longer ones are slow
constexpr double kHeatRange = 30;   // of chains after the first
constexpr double kPriceRange = 1000;
constexpr double kWindowShare = 0.6;  // of the refining searches; the others see every stage
constexpr int kLeastWindow = 8;       // stages

class ChainSearch {
 public:
  ChainSearch(const Problem& problem, const TimelineSearchOptions& options)
      : options_(options),
        costs_(problem),
        scales_(scales_of(costs_)),
        random_(std::uint64_t{options.seed} << 32),
        timeline_(costs_),
        moves_(timeline_, random_),
        moves_left_(options.moves),
        price_(scales_.price) {}

  std::optional<Schedule> run() {
    for (const Schedule& start : options_.starts) take_start(start);
    low_budget_ = !best_;
    if (low_budget_) starts_.resize(1);
    const double size = costs_.size();
    full_ = kMovesPerNode * size * std::max(1.0, size / kLargeGraph);
    length_ = std::min(kMovesPerNode * size, 0.4 * static_cast<double>(options_.moves));
    for (int chain = 0; !over(); ++chain) {
      run_chain(chain);
      if (length_ < full_ || chain % kCycle == kCycle - 1) length_ *= kGrowth;
    }
    options_.moved(options_.moves - std::max<std::int64_t>(0, moves_left_));
    if (!best_) return std::nullopt;
    timeline_.restore(best_->entries);
    return to_schedule(timeline_);
  }

 private:
  bool over() { return moves_left_ <= 0 || options_.stop(); }

  void take_start(const Schedule& start) {
    timeline_.restore(entries_of(start));
    const std::vector<Entry> entries = timeline_.entries();
    if (timeline_.feasible()) note({entries, timeline_.extra_energy(), 0});
    const bool is_long = static_cast<int>(entries.size()) > kMostEntries * costs_.size();
    if (!is_long) starts_.push_back(entries);
  }

  /// Every fourth chain refines the best of all, and every other one where only tightening finds
  /// plans, which takes long. The others open from the starts in turn: from the baseline at the
  /// full scale, from others at a scale that is drawn below it, since a hot search would melt their
  /// structure. Where no start fits, they tighten first, and open from a start only if that is in
  /// vain.
  void run_chain(int chain) {
    hot_ = kHot[best_ ? chain % std::size(kHot) : 0];
    moves_.set_paging_by_cost(chain % 2 == 1);
    if (best_ && (chain % kCycle == kCycle - 1 || (low_budget_ && chain % 2 == 1))) {
      heat_ = draw_heat();
      refine(*best_);
      return;
    }
    const std::size_t start = next_start_++ % starts_.size();
    heat_ = start == 0 || !best_ ? scales_.energy : draw_heat();
    if (low_budget_ && chain > 0) {
      if (const auto plan = find_some_plan()) return refine(*plan);
    }
    timeline_.restore(starts_[start]);
    moves_.set_window(whole());
    ThresholdResult opening = search(length_, 1, price_);
    if (opening.best) {
      note(*opening.best);
      price_ = opening.price;
      low_budget_ = false;  // a hot search finds better plans than tightening, if it finds any
      refine(std::move(*opening.best));
    } else if (best_) {
      refine(*best_);
    }
  }

  double draw_heat() { return scales_.energy * std::pow(kHeatRange, -random_.uniform()); }

  std::optional<FoundPlan> find_some_plan() {
    const auto most = static_cast<std::int64_t>(kTightening * std::max(length_, full_));
    std::int64_t moves = std::min(moves_left_ / 2, most);
    moves_left_ -= moves;
    std::optional<FoundPlan> plan =
        tighten(timeline_, moves_, scales_, random_, moves, options_.stop);
    moves_left_ += moves;
    if (!plan) return plan;
    note(*plan);
    length_ = std::max(length_, full_);  // where RAM is that low, short searches find nothing
    return plan;
  }

  void refine(FoundPlan plan) {
    for (double left = kRefining * length_; left > 0 && !over();) {
      const bool windowed = random_.uniform() < kWindowShare;
      const StageWindow window = windowed ? draw_window() : whole();
      if (window.last - window.first < kLeastWindow && windowed) continue;
      timeline_.restore(plan.entries);
      moves_.set_window(window);
      const double count =
          (windowed ? 0.1 : 0.3) * length_ * std::pow(4.0, random_.uniform() - 0.5);
      const ThresholdResult result = search(count, std::pow(15.0, -random_.uniform()), price_);
      left -= std::max(1.0, count);
      if (!result.best || result.best->energy > plan.energy) continue;
      if (result.best->energy < plan.energy) left = kRefining * length_;
      plan = *result.best;
      note(plan);
    }
  }

  ThresholdResult search(double count, double share, double price) {
    const auto moves = std::min(moves_left_, std::max<std::int64_t>(1, std::llround(count)));
    ThresholdResult result = search_by_threshold(timeline_, moves_,
                                                 {.moves = moves,
                                                  .hot = hot_ * share * heat_,
                                                  .cold = kCold * heat_,
                                                  .price = price,
                                                  .time_price = scales_.time,
                                                  .least_price = scales_.price / kPriceRange,
                                                  .largest_price = scales_.price * kPriceRange},
                                                 random_, options_.stop);
    moves_left_ -= result.moves;
    return result;
  }

  StageWindow whole() const { return {0, costs_.size() - 1}; }

  /// An eighth of the stages or more, up to two fifths on either side of some stage.
  StageWindow draw_window() {
    const int size = costs_.size();
    const int width =
        std::max(12, static_cast<int>(0.05 * size * std::pow(8.0, random_.uniform())));
    const int first = random_.below(size + width) - width;
    return {std::max(0, first), std::min(size - 1, first + width)};
  }

  void note(const FoundPlan& plan) {
    if (best_ && plan.energy >= best_->energy) return;
    best_ = plan;
    timeline_.restore(plan.entries);
    options_.improved(to_schedule(timeline_));
  }

  const TimelineSearchOptions& options_;
  WholeCosts costs_;
  SearchScales scales_;
  Random random_;
  Timeline timeline_;
  TimelineMoves moves_;
  std::int64_t moves_left_;
  bool low_budget_ = false;  // so that no start fits
  double length_ = 0;        // of a chain's first search, in moves
  double full_ = 0;          // that of a chain that should find a good plan
  double heat_ = 0;
  double hot_ = 0;  // at the first move, over heat_
  double price_;
  std::vector<std::vector<Entry>> starts_{{}};  // the baseline first
  std::size_t next_start_ = 0;
  std::optional<FoundPlan> best_;
};

}  // namespace

std::optional<Schedule> search_timelines(const Problem& problem,
                                         const TimelineSearchOptions& options) {
  return ChainSearch(problem, options).run();
}

}  // namespace poet
