#include "solver/relaxation/count_branching.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/process/child_call.hpp"
#include "problem/fields.hpp"
#include "solver/clock.hpp"
#include "solver/relaxation/relaxation.hpp"

namespace poet {
namespace {

/// News from the child process: the bound and the nodes so far, or a better schedule.
struct CountReport {
  double bound = -kInfinity;
  std::int64_t nodes = 0;
  std::optional<Schedule> schedule;
};

}  // namespace

template <>
inline constexpr auto kFields<CountReport> = std::tuple(Field<&CountReport::bound>{},
                                                        Field<&CountReport::nodes>{},
                                                        Field<&CountReport::schedule>{});

template <>
inline constexpr auto kFields<CountRange> = std::tuple(Field<&CountRange::count>{},
                                                       Field<&CountRange::lower>{},
                                                       Field<&CountRange::upper>{});

template <>
inline constexpr auto kFields<Subproblem> = std::tuple(Field<&Subproblem::bound>{},
                                                       Field<&Subproblem::ranges>{});

template <>
inline constexpr auto kLast<CountBranchingResult::Status> = CountBranchingResult::Status::failed;

template <>
inline constexpr auto kFields<CountBranchingResult> =
    std::tuple(Field<&CountBranchingResult::status>{}, Field<&CountBranchingResult::subproblems>{},
               Field<&CountBranchingResult::bound>{}, Field<&CountBranchingResult::nodes>{});

namespace {

/// The search leaves a node when this many rounds of cuts close less than this share of the
/// distance to the ceiling.
constexpr int kStallRounds = 3;
constexpr double kStallShare = 0.03;
/// Growth of the linear program over its rows at the start beyond which slack rows leave.
constexpr double kRowGrowth = 2;
/// Nodes before the best open one is polished, the factor to the next time, and how many settled
/// nodes are polished.
constexpr std::int64_t kFirstPolish = 20;
constexpr int kPolishGrowth = 2;
constexpr int kMaxLeafPolishes = 10;
/// If this many nodes close less than this share of the distance to the ceiling, branching on
/// counts leads nowhere: the model's optimum lies below every schedule, or counts say too little.
constexpr std::int64_t kCheckedNodes = 300;
constexpr double kMinProgress = 0.1;
/// With more open nodes the rest is left to CBC: each holds a basis of up to half a megabyte.
constexpr std::size_t kMaxOpenNodes = 2000;

/// A subproblem, where to branch next, and the relaxation's optimum and basis: the children of a
/// node take 200 to 1000 iterations from its basis, and 6000 to 12000 from the basis of the node
/// before.
struct OpenNode {
  Subproblem subproblem;
  Branching branching;
  std::vector<double> values;  ///< of all columns
  Relaxation::Snapshot relaxation;
};

bool better(const OpenNode& a, const OpenNode& b) {
  return a.subproblem.bound < b.subproblem.bound;
}

class CountBranching {
 public:
  using Send = std::function<void(const CountReport&)>;

  CountBranching(const Formulation& model, const Graph& graph, const Milp& milp,
                 const std::vector<Count>& counts, const CountBranchingOptions& options, Send send)
      : counts_(counts),
        options_(options),
        send_(std::move(send)),
        ceiling_(options.ceiling()),
        relaxation_(model, graph, milp, options.features) {}

  CountBranchingResult run() {
    relaxation_.start(options_.rows, options_.cuts);
    start_rows_ = relaxation_.rows();
    consider({});
    while (!open_.empty() && open_.size() < kMaxOpenNodes && !time_.expired()) {
      const auto next = std::min_element(open_.begin(), open_.end(), better);
      const OpenNode node = std::move(*next);
      open_.erase(next);
      if (node.subproblem.bound >= ceiling_) continue;
      report(node.subproblem.bound);
      if (stuck(node.subproblem.bound)) return undivided(node.subproblem.bound);
      branch(node);
      if (nodes_ < next_polish_ || open_.empty()) continue;
      next_polish_ *= kPolishGrowth;
      const auto best = std::min_element(open_.begin(), open_.end(), better);
      polish(best->values, best->subproblem.bound);
    }
    for (OpenNode& node : open_) settled_.push_back(std::move(node.subproblem));
    std::erase_if(settled_,
                  [&](const Subproblem& subproblem) { return subproblem.bound >= ceiling_; });
    const double bound = with_settled(ceiling_);
    return {.status = CountBranchingResult::Status::searched,
            .subproblems = std::move(settled_),
            .bound = bound,
            .nodes = nodes_};
  }

 private:
  bool stuck(double bound) {
    if (nodes_ < next_check_) return false;
    next_check_ += kCheckedNodes;
    const bool progress = bound - checked_bound_ >= kMinProgress * (ceiling_ - bound);
    checked_bound_ = bound;
    return !progress;
  }

  /// The whole problem as one subproblem, with the bound that the search has reached.
  CountBranchingResult undivided(double open_bound) const {
    const double bound = with_settled(open_bound);
    return {.status = CountBranchingResult::Status::searched,
            .subproblems = {{.bound = bound}},
            .bound = bound,
            .nodes = nodes_};
  }

  /// The least of a bound on all open nodes and the bounds of the settled subproblems.
  double with_settled(double bound) const {
    for (const Subproblem& subproblem : settled_) bound = std::min(bound, subproblem.bound);
    return bound;
  }

  void report(double open_bound) { send_({.bound = with_settled(open_bound), .nodes = nodes_}); }

  void polish(const std::vector<double>& values, double bound) {
    const auto schedule = options_.improve(values, bound);
    if (!schedule) return;
    ceiling_ = options_.ceiling();
    send_({.schedule = schedule});
  }

  void branch(const OpenNode& node) {
    for (const bool up : {false, true}) {
      Subproblem subproblem = node.subproblem;
      const auto [count, value] = node.branching;
      CountRange range{.count = count};
      (up ? range.lower : range.upper) = up ? std::ceil(value) : std::floor(value);
      subproblem.ranges.push_back(range);
      relaxation_.restore(node.relaxation);
      consider(std::move(subproblem));
    }
  }

  /// Bounds the subproblem, and keeps it unless it is above the ceiling.
  void consider(Subproblem subproblem) {
    set_ranges(subproblem.ranges);
    ++nodes_;
    std::vector<double> bounds;
    while (true) {
      const auto status = relaxation_.solve(ceiling_, std::max(time_.remaining(), 1e-3));
      if (status == LinearProgram::Status::infeasible) return;
      if (status == LinearProgram::Status::stopped) break;
      subproblem.bound = std::max(subproblem.bound, relaxation_.bound());
      bounds.push_back(subproblem.bound);
      if (stalled(bounds) || time_.expired()) break;
      if (relaxation_.rows() > kRowGrowth * start_rows_) relaxation_.remove_slack_rows();
      if (!relaxation_.add_violated_rows()) break;
    }
    OpenNode node = opened(std::move(subproblem));
    if (node.branching.count >= 0) {
      open_.push_back(std::move(node));
      return;
    }
    if (leaf_polishes_++ < kMaxLeafPolishes) polish(node.values, node.subproblem.bound);
    settled_.push_back(std::move(node.subproblem));
  }

  bool stalled(const std::vector<double>& bounds) const {
    if (bounds.size() <= kStallRounds) return false;
    const double gained = bounds.back() - bounds[bounds.size() - 1 - kStallRounds];
    return gained < kStallShare * (ceiling_ - bounds.back());
  }

  void set_ranges(const std::vector<CountRange>& ranges) {
    for (const CountRange& range : merged(ranges)) {
      relaxation_.set_row(range.count, range_row(counts_, range));
    }
  }

  /// The subproblem as an open node, after the relaxation has been solved.
  OpenNode opened(Subproblem subproblem) const {
    const auto values = relaxation_.values();
    return {.subproblem = std::move(subproblem),
            .branching = choose_branching(counts_, values, ceiling_),
            .values = {values.begin(), values.end()},
            .relaxation = relaxation_.snapshot()};
  }

  const std::vector<Count>& counts_;
  const CountBranchingOptions& options_;
  Send send_;
  double ceiling_;
  Relaxation relaxation_;
  int start_rows_ = 0;
  std::vector<OpenNode> open_;
  std::vector<Subproblem> settled_;
  std::int64_t nodes_ = 0;
  std::int64_t next_polish_ = kFirstPolish;
  std::int64_t next_check_ = kCheckedNodes;
  double checked_bound_ = -kInfinity;
  int leaf_polishes_ = 0;
  Countdown time_{options_.time_limit_seconds};
};

/// Throws MalformedMessage for a result about counts that do not exist.
void check(const CountBranchingResult& result, std::size_t counts) {
  for (const Subproblem& subproblem : result.subproblems) {
    for (const CountRange& range : subproblem.ranges) {
      if (range.count < 0 || static_cast<std::size_t>(range.count) >= counts) {
        throw MalformedMessage("a range is about a count that does not exist");
      }
    }
  }
}

}  // namespace

CountBranchingResult run_count_branching(const Formulation& model, const Graph& graph,
                                         const ScaledMilp& scaled, const std::vector<Count>& counts,
                                         const CountBranchingOptions& options) {
  double bound = -kInfinity;
  std::int64_t nodes = 0;
  ChildCall<CountReport, CountBranchingResult> call;
  call.work = [&](const CountBranching::Send& report) {
    return CountBranching(model, graph, scaled.milp, counts, options, report).run();
  };
  call.on_report = [&](const CountReport& now) {
    if (now.schedule) {
      options.improved(*now.schedule);
    } else {
      bound = std::max(bound, now.bound);
      nodes = now.nodes;
    }
    return options.progress(bound, nodes);
  };
  call.check = [&](const CountBranchingResult& result) { check(result, counts.size()); };
  call.on_tick = [&] { return options.progress(bound, nodes); };
  call.seconds = options.time_limit_seconds + kGrace;
  return call.run().result.value_or(CountBranchingResult{});
}

}  // namespace poet
