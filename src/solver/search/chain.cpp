#include "solver/search/chain.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace poet {
namespace {

constexpr double kRefining = 0.8;  // moves without a better plan, over the first search's moves
/// First heats of chains, in turn, of the energy scale. Low budgets and large graphs want the
/// hottest; in chains of layers, whose costs differ by orders of magnitude, the best plans are
/// found by the coolest: a hot first search misses the best plan of `vgg16_cifar/m4` 1200000 for
/// most seeds.
constexpr double kHot[] = {1, 0.3, 0.1};
constexpr double kCold = 0.004;
constexpr double kTightening = 20;  // moves to find some plan, at most, over a long chain's moves
constexpr double kHeatRange = 30;   // of chains after the first
constexpr double kPriceRange = 1000;
constexpr double kWindowShare = 0.6;  // of the refining searches; the others see every stage
constexpr int kLeastWindow = 8;       // stages

}  // namespace

Chain::Chain(const WholeCosts& costs, std::uint64_t seed)
    : scales_(scales_of(costs)), random_(seed), timeline_(costs), moves_(timeline_, random_) {}

ChainResult Chain::run(const ChainTask& task, std::int64_t most_moves,
                       const std::function<void(const ChainReport&)>& report,
                       const std::function<bool()>& stop) {
  task_ = &task;
  report_ = &report;
  stop_ = &stop;
  most_moves_ = most_moves;
  moves_left_ = task.moves;
  length_ = task.length;
  price_ = task.price;
  best_ = task.best;
  result_ = {};
  if (task.seed) random_ = Random(*task.seed);
  hot_ = kHot[best_ ? task.number % std::size(kHot) : 0];
  moves_.set_paging_by_cost(task.number % 2 == 1);
  if (task.refines) {
    heat_ = draw_heat();
    refine(*best_);
  } else {
    open();
  }
  result_.moves = made();
  return result_;
}

bool Chain::over() const {
  return moves_left_ <= 0 || made() >= most_moves_ || (*stop_)();
}

/// From the baseline at the full scale, from other starts at a scale that is drawn below it, since
/// a hot search would melt their structure. If no start fits, tightens first, and opens only if
/// that is in vain.
void Chain::open() {
  heat_ = task_->from_baseline || !best_ ? scales_.energy : draw_heat();
  if (task_->low_budget && task_->number > 0) {
    if (const auto plan = find_some_plan()) return refine(*plan);
  }
  timeline_.restore(task_->start);
  moves_.set_window(whole());
  ThresholdResult opening = search(length_, 1);
  if (opening.best) {
    note(*opening.best);
    result_.price = price_ = opening.price;
    refine(std::move(*opening.best));
  } else if (best_) {
    refine(*best_);
  }
}

double Chain::draw_heat() {
  return scales_.energy * std::pow(kHeatRange, -random_.uniform());
}

std::optional<FoundPlan> Chain::find_some_plan() {
  const auto longest = static_cast<std::int64_t>(kTightening * std::max(length_, task_->full));
  std::int64_t moves = std::min(moves_left_ / 2, longest);
  moves_left_ -= moves;
  std::optional<FoundPlan> plan = tighten(timeline_, moves_, scales_, random_, moves, *stop_);
  moves_left_ += moves;
  if (!plan) return plan;
  note(*plan);
  result_.tightened = true;
  length_ = std::max(length_, task_->full);  // if RAM is that low, short searches find nothing
  return plan;
}

void Chain::refine(FoundPlan plan) {
  for (double left = kRefining * length_; left > 0 && !over();) {
    const bool windowed = random_.uniform() < kWindowShare;
    const StageWindow window = windowed ? draw_window() : whole();
    if (window.last - window.first < kLeastWindow && windowed) continue;
    timeline_.restore(plan.entries);
    moves_.set_window(window);
    const double count = (windowed ? 0.1 : 0.3) * length_ * std::pow(4.0, random_.uniform() - 0.5);
    const ThresholdResult result = search(count, std::pow(15.0, -random_.uniform()));
    left -= std::max(1.0, count);
    if (!result.best || result.best->energy > plan.energy) continue;
    if (result.best->energy < plan.energy) left = kRefining * length_;
    plan = *result.best;
    note(plan);
  }
}

ThresholdResult Chain::search(double count, double share) {
  const auto moves = std::min(moves_left_, std::max<std::int64_t>(1, std::llround(count)));
  ThresholdResult result = search_by_threshold(timeline_, moves_,
                                               {.moves = moves,
                                                .most_moves = most_moves_ - made(),
                                                .hot = hot_ * share * heat_,
                                                .cold = kCold * heat_,
                                                .price = price_,
                                                .time_price = scales_.time,
                                                .least_price = scales_.price / kPriceRange,
                                                .largest_price = scales_.price * kPriceRange},
                                               random_, *stop_);
  moves_left_ -= result.moves;
  // A chain that did not know its end would not have reported what a search found before it.
  if (result.moves < moves && made() >= most_moves_) result.best.reset();
  return result;
}

/// An eighth of the stages or more, up to two fifths on either side of some stage.
StageWindow Chain::draw_window() {
  const int size = timeline_.size();
  const int width = std::max(12, static_cast<int>(0.05 * size * std::pow(8.0, random_.uniform())));
  const int first = random_.below(size + width) - width;
  return {std::max(0, first), std::min(size - 1, first + width)};
}

void Chain::note(const FoundPlan& plan) {
  if (best_ && plan.energy >= best_->energy) return;
  best_ = plan;
  (*report_)({plan.entries, made()});
}

}  // namespace poet
