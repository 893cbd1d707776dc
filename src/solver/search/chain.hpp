#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/fields.hpp"
#include "solver/search/position.hpp"
#include "solver/search/threshold_search.hpp"
#include "solver/search/tightening.hpp"

namespace poet {

/// What a chain is given, all of it known when the chain is drawn.
struct ChainTask {
  int number = 0;  ///< from 0 on; heats and the use of paging take turns by it
  /// Seed of the chain's own random numbers. Without one, it goes on with the random numbers of the
  /// chain that the same object ran before.
  std::optional<std::uint64_t> seed;
  double length = 0;              ///< of the first search, in moves
  double full = 0;                ///< the length of a chain that should find a good plan
  double price = 0;               ///< units of energy for a byte of violation
  bool low_budget = false;        ///< no start fits
  bool refines = false;           ///< the best plan, instead of opening from a start
  bool from_baseline = true;      ///< the start is the baseline
  std::vector<Entry> start;       ///< may overrun the RAM budget
  std::optional<FoundPlan> best;  ///< of all chains so far
  std::int64_t moves = 0;         ///< that the chain may count on
};

/// A plan that is better than the best when the chain was drawn, and than those before it.
struct ChainReport {
  std::vector<Entry> entries;
  std::int64_t moves = 0;  ///< of the chain so far
};

struct ChainResult {
  std::int64_t moves = 0;
  std::optional<double> price;  ///< at the end of an opening that found a plan
  bool tightened = false;       ///< tightening found a plan
};

template <>
inline constexpr auto kFields<Entry> = kMembers<&Entry::node, &Entry::at>;

template <>
inline constexpr auto kFields<ChainReport> = kMembers<&ChainReport::entries, &ChainReport::moves>;

template <>
inline constexpr auto kFields<ChainResult> =
    kMembers<&ChainResult::moves, &ChainResult::price, &ChainResult::tightened>;

/// Runs chains. A chain is a threshold search from the baseline or another start, then shorter and
/// cooler ones in windows of stages around what it found, each accepted if not worse, until too
/// many in a row were in vain.
class Chain {
 public:
  Chain(const WholeCosts& costs, std::uint64_t seed);

  /// What comes of a task depends on nothing else, except that `stop`, or `most_moves`, ends it
  /// early.
  ChainResult run(const ChainTask& task, std::int64_t most_moves,
                  const std::function<void(const ChainReport&)>& report,
                  const std::function<bool()>& stop);

 private:
  bool over() const;
  void open();
  double draw_heat();
  std::optional<FoundPlan> find_some_plan();
  void refine(FoundPlan plan);
  ThresholdResult search(double count, double share);
  StageWindow whole() const { return {0, timeline_.size() - 1}; }
  StageWindow draw_window();
  void note(const FoundPlan& plan);
  std::int64_t made() const { return task_->moves - moves_left_; }

  SearchScales scales_;
  Random random_;
  Timeline timeline_;
  TimelineMoves moves_;

  // Of the chain under way.
  const ChainTask* task_ = nullptr;
  const std::function<void(const ChainReport&)>* report_ = nullptr;
  const std::function<bool()>* stop_ = nullptr;
  std::int64_t most_moves_ = 0;
  std::int64_t moves_left_ = 0;
  double length_ = 0;
  double heat_ = 0;
  double hot_ = 0;  // at the first move, over heat_
  double price_ = 0;
  std::optional<FoundPlan> best_;
  ChainResult result_;
};

}  // namespace poet
