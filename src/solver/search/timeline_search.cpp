#include "solver/search/timeline_search.hpp"

#include <algorithm>
#include <utility>

#include "base/process/ordered_calls.hpp"
#include "solver/search/chain.hpp"

namespace poet {
namespace {

constexpr int kMovesPerNode = 300;  // of a chain's first search; more for large graphs
constexpr int kMoreMovesNodes = 250;
constexpr double kGrowth = 1.5;  // of chains
constexpr int kCycle = 4;        // chains that differ in their start
constexpr int kMostEntries = 3;  // of a start, for each node; chains from longer ones are slow

class ChainSearch {
 public:
  ChainSearch(const Problem& problem, const TimelineSearchOptions& options)
      : options_(options),
        costs_(problem),
        timeline_(costs_),
        chain_(costs_, std::uint64_t{options.seed} << 32),
        price_(scales_of(costs_).price) {}

  std::optional<Schedule> run() {
    for (const std::vector<Entry>& start : options_.starts) take_start(start);
    low_budget_ = !best_;
    if (low_budget_) starts_.resize(1);
    const double size = costs_.size();
    full_ = kMovesPerNode * size * std::max(1.0, size / kMoreMovesNodes);
    length_ = std::min(kMovesPerNode * size, 0.4 * static_cast<double>(options_.moves));
    run_chains();
    options_.moved(made_);
    if (!best_ || options_.stop()) return std::nullopt;
    timeline_.restore(best_->entries);
    return to_schedule(timeline_);
  }

 private:
  /// A chain, and what it has found before it was the first in line.
  struct Drawn {
    ChainTask chain;
    std::vector<ChainReport> reports;
  };

  std::int64_t moves_left() const { return options_.moves - made_; }

  void take_start(const std::vector<Entry>& start) {
    timeline_.restore(start);
    const std::vector<Entry> entries = timeline_.entries();
    if (timeline_.feasible()) is_better(entries);
    const bool is_long = static_cast<int>(entries.size()) > kMostEntries * costs_.size();
    if (!is_long) starts_.push_back(entries);
  }

  void run_chains() {
    OrderedCalls<Drawn, ChainReport, ChainResult> calls{.processes = options_.processes,
                                                        .length = options_.line,
                                                        .memory_bytes = options_.memory_bytes,
                                                        .in_place = true};
    calls.draw = [this]() -> std::optional<Drawn> {
      if (moves_left() <= 0) return std::nullopt;
      return Drawn{.chain = draw()};
    };
    calls.needless = [](const Drawn&) { return false; };
    calls.work = [this](const Drawn& drawn, const auto& report) {
      const auto stop = [this] { return ended_ || options_.stop(); };
      return chain_.run(drawn.chain, moves_left(), report, stop);
    };
    calls.check = [](const ChainResult&) {};
    calls.on_report = [this](Drawn& drawn, const ChainReport& report, bool is_first) {
      drawn.reports.push_back(report);
      if (is_first) take_reports(drawn);
    };
    calls.take = [this](Drawn& drawn, auto answer) {
      take_reports(drawn);
      if (ended_ || !answer->result) return false;
      take_result(*answer->result);
      ended_ = moves_left() <= 0 || (best_ && made_ - made_at_best_ >= options_.rest);
      return !ended_;
    };
    calls.on_tick = [this] { return !ended_ && !options_.stop(); };
    const std::vector<Drawn> left = calls.run();
    if (ended_) return;
    // Time is up, so what counts is the best plan, and no longer the order.
    for (const Drawn& drawn : left) {
      for (const ChainReport& report : drawn.reports) note(report.entries);
    }
  }

  /// Every fourth chain refines the best of all, and every other one if only tightening finds
  /// plans, which takes long. The others open from the starts in turn.
  ChainTask draw() {
    const int number = next_chain_++;
    const bool is_new_cycle = number > 0 && number % kCycle == 0;
    if (number > 0 && (length_ < full_ || is_new_cycle)) length_ *= kGrowth;
    ChainTask task{.number = number,
                   .length = length_,
                   .full = full_,
                   .price = price_,
                   .low_budget = low_budget_,
                   .best = best_,
                   .moves = moves_left()};
    // Chains that are drawn ahead run anywhere.
    if (options_.line > 1)
      task.seed = (std::uint64_t{options_.seed} << 32) + static_cast<unsigned>(number);
    task.refines = best_ && (number % kCycle == kCycle - 1 || (low_budget_ && number % 2 == 1));
    if (task.refines) return task;
    const std::size_t start = next_start_++ % starts_.size();
    task.from_baseline = start == 0;
    task.start = starts_[start];
    return task;
  }

  /// Takes the reports of the first chain in line, in their order.
  void take_reports(Drawn& drawn) {
    for (const ChainReport& report : std::exchange(drawn.reports, {})) {
      if (ended_) return;
      if (report.moves > moves_left()) continue;  // it should have ended before
      note(report.entries);
      if (!options_.stop()) continue;
      made_ += report.moves;
      ended_ = true;
    }
  }

  void take_result(const ChainResult& result) {
    made_ += std::min(result.moves, moves_left());
    if (result.tightened) length_ = std::max(length_, full_);
    if (!result.price) return;
    price_ = *result.price;
    low_budget_ = false;  // a hot search finds better plans than tightening, if it finds any
  }

  void note(const std::vector<Entry>& entries) {
    timeline_.restore(entries);
    if (is_better(entries)) options_.improved(timeline_);
  }

  /// Whether these, which the timeline has, become the best.
  bool is_better(const std::vector<Entry>& entries) {
    const Units energy = timeline_.extra_energy();
    if (best_ && energy >= best_->energy) return false;
    best_ = {.entries = entries, .energy = energy};
    made_at_best_ = made_;
    return true;
  }

  const TimelineSearchOptions& options_;
  WholeCosts costs_;
  Timeline timeline_;
  Chain chain_;
  std::int64_t made_ = 0;  // moves of the chains whose results were taken
  std::int64_t made_at_best_ = 0;
  bool low_budget_ = false;  // so that no start fits
  bool ended_ = false;       // by moves or by what a chain found, not by the clock
  double length_ = 0;        // of the next chain's first search, in moves
  double full_ = 0;
  double price_;
  int next_chain_ = 0;
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
