#include "solver/relaxation/count_branching.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/process/child_process.hpp"
#include "problem/schedule_packing.hpp"
#include "solver/clock.hpp"
#include "solver/relaxation/relaxation.hpp"

namespace poet {
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
  using Send = std::function<void(const Message&)>;

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

  void report(double open_bound) {
    send_(progress_message({.bound = with_settled(open_bound), .nodes = nodes_}));
  }

  void polish(const std::vector<double>& values, double bound) {
    const auto schedule = options_.improve(values, bound);
    if (!schedule) return;
    ceiling_ = options_.ceiling();
    send_(schedule_message(*schedule));
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

Packer tagged(CountMessage tag) {
  Packer packer;
  packer.put(tag);
  return packer;
}

}  // namespace

CountBranchingResult run_count_branching(const Formulation& model, const Graph& graph,
                                         const ScaledMilp& scaled, const std::vector<Count>& counts,
                                         const CountBranchingOptions& options) {
  CountBranchingResult result;
  CountProgress latest;
  ResultOnce order;
  const auto work = [&](const CountBranching::Send& send) {
    send(result_message(CountBranching(model, graph, scaled.milp, counts, options, send).run()));
  };
  const auto receive = [&](const Message& message) {
    Unpacker unpacker(message);
    const CountMessage tag = unpacker.get_enum(CountMessage::result);
    order.take(tag == CountMessage::result);
    switch (tag) {
      case CountMessage::progress: {
        const CountProgress now = get_progress(unpacker);
        latest = {.bound = std::max(latest.bound, now.bound), .nodes = now.nodes};
        break;
      }
      case CountMessage::schedule:
        options.improved(get_schedule(unpacker));
        break;
      case CountMessage::result:
        result = get_result(unpacker, counts.size());
        break;
    }
    return options.progress(latest.bound, latest.nodes);
  };
  const ChildExit exit = run_in_child(
      work, receive, [&] { return options.progress(latest.bound, latest.nodes); },
      options.time_limit_seconds + kGrace);
  if (!exit.clean && !exit.killed) return {};
  return result;
}

Message progress_message(const CountProgress& progress) {
  Packer packer = tagged(CountMessage::progress);
  packer.put(progress.bound);
  packer.put(progress.nodes);
  return packer.message();
}

Message schedule_message(const Schedule& schedule) {
  Packer packer = tagged(CountMessage::schedule);
  pack_schedule(packer, schedule);
  return packer.message();
}

Message result_message(const CountBranchingResult& result) {
  Packer packer = tagged(CountMessage::result);
  packer.put(result.status);
  packer.put(result.bound);
  packer.put(result.nodes);
  packer.put_size(result.subproblems);
  for (const Subproblem& subproblem : result.subproblems) {
    packer.put(subproblem.bound);
    packer.put_size(subproblem.ranges);
    for (const CountRange& range : subproblem.ranges) {
      packer.put(range.count);
      packer.put(range.lower);
      packer.put(range.upper);
    }
  }
  return packer.message();
}

CountProgress get_progress(Unpacker& unpacker) {
  CountProgress progress;
  progress.bound = unpacker.get();
  progress.nodes = unpacker.get_as<std::int64_t>();
  unpacker.finish();
  return progress;
}

Schedule get_schedule(Unpacker& unpacker) {
  Schedule schedule = unpack_schedule(unpacker);
  unpacker.finish();
  return schedule;
}

CountBranchingResult get_result(Unpacker& unpacker, std::size_t counts) {
  CountBranchingResult result;
  result.status = unpacker.get_enum(CountBranchingResult::Status::failed);
  result.bound = unpacker.get();
  result.nodes = unpacker.get_as<std::int64_t>();
  result.subproblems.resize(unpacker.get_size());
  for (Subproblem& subproblem : result.subproblems) {
    subproblem.bound = unpacker.get();
    subproblem.ranges.resize(unpacker.get_size());
    for (CountRange& range : subproblem.ranges) {
      range.count = unpacker.get_index(counts);
      range.lower = unpacker.get();
      range.upper = unpacker.get();
    }
  }
  unpacker.finish();
  return result;
}

}  // namespace poet
