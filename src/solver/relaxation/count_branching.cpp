#include "solver/relaxation/count_branching.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/process/call_messages.hpp"
#include "base/process/ordered_calls.hpp"
#include "problem/fields.hpp"
#include "solver/relaxation/count_node.hpp"
#include "solver/relaxation/fields.hpp"
#include "solver/work.hpp"

namespace poet {
namespace {

/// News from the child process: the bound and the nodes so far, or a better schedule.
struct CountReport {
  double bound = -kInfinity;
  std::int64_t nodes = 0;
  std::optional<Schedule> schedule;
};

/// What a process of a task's own came to: a node, or what polishing found.
struct TaskResult {
  CountNode node;
  Improvement improvement;
};

}  // namespace

template <>
inline constexpr auto kFields<CountReport> =
    kMembers<&CountReport::bound, &CountReport::nodes, &CountReport::schedule>;

template <>
inline constexpr auto kFields<CountSplit> = kMembers<&CountSplit::count, &CountSplit::most>;

template <>
inline constexpr auto kFields<Relaxation::Origin> =
    kMembers<&Relaxation::Origin::pool_row, &Relaxation::Origin::cut, &Relaxation::Origin::number>;

template <>
inline constexpr auto kFields<Relaxation::Snapshot> =
    kMembers<&Relaxation::Snapshot::origins, &Relaxation::Snapshot::known_cuts,
             &Relaxation::Snapshot::cuts, &Relaxation::Snapshot::basis>;

template <>
inline constexpr auto kFields<CountNode> =
    kMembers<&CountNode::closed, &CountNode::bound, &CountNode::split, &CountNode::values,
             &CountNode::relaxation, &CountNode::work>;

template <>
inline constexpr auto kFields<Improvement> = kMembers<&Improvement::schedule, &Improvement::work>;

template <>
inline constexpr auto kFields<TaskResult> = kMembers<&TaskResult::node, &TaskResult::improvement>;

template <>
inline constexpr auto kFields<CountRange> =
    kMembers<&CountRange::count, &CountRange::lower, &CountRange::upper>;

template <>
inline constexpr auto kFields<Subproblem> = kMembers<&Subproblem::bound, &Subproblem::ranges>;

template <>
inline constexpr auto kLast<CountBranchingResult::Status> = CountBranchingResult::Status::failed;

template <>
inline constexpr auto kFields<CountBranchingResult> =
    kMembers<&CountBranchingResult::status, &CountBranchingResult::subproblems,
             &CountBranchingResult::bound, &CountBranchingResult::nodes,
             &CountBranchingResult::work>;

namespace {

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
/// Relaxations that are chosen before the answer to the first of them is known.
constexpr std::size_t kNodesInLine = 8;
/// Looks at all rows without which a relaxation comes to nothing.
constexpr std::int64_t kLeastRounds = 4;

/// A subproblem whose relaxation has been solved.
struct OpenNode {
  Subproblem subproblem;
  CountNode solved;
};

bool better(const std::shared_ptr<const OpenNode>& a, const std::shared_ptr<const OpenNode>& b) {
  return a->subproblem.bound < b->subproblem.bound;
}

/// A relaxation to solve, or an optimum to polish.
struct CountTask {
  std::shared_ptr<const OpenNode> node;  ///< the parent, or what is polished
  Subproblem subproblem;                 ///< of the parent's
  double ceiling = kInfinity;
  std::int64_t most_work = kNoLimit;  ///< its share, in moves
  bool polishes = false;
};

/// The process that keeps the tree. The relaxations are solved in copies of it, and none in itself
/// but the first: so each begins with the same state of Clp, wherever and whenever that is.
class CountBranching {
 public:
  using Send = std::function<void(const CountReport&)>;

  CountBranching(const Formulation& model, const Graph& graph, const Milp& milp,
                 const std::vector<Count>& counts, const CountBranchingOptions& options, Send send)
      : options_(options),
        send_(std::move(send)),
        ceiling_(options.ceiling()),
        nodes_(model, graph, milp, counts, options.features),
        work_(options.most_work, kNodesInLine,
              kLeastRounds * static_cast<std::int64_t>(milp.nonzeros())) {}

  CountBranchingResult run() {
    ++count_;
    CountNode root = nodes_.solve_root(options_.rows, options_.cuts,
                                       {.ceiling = ceiling_, .most_work = work_.left()}, time_);
    work_.end(0, root.work);
    keep({}, std::move(root));
    if (open_bound() < ceiling_) send_({.bound = with_settled(open_bound()), .nodes = count_});
    if (work_.left() <= 0) return divided();
    OrderedCalls<CountTask, double, TaskResult> calls{.processes = options_.processes,
                                                      .length = kNodesInLine,
                                                      .memory_bytes = options_.memory_bytes};
    calls.draw = [this] { return draw(); };
    calls.needless = [this](const CountTask& task) { return task.subproblem.bound >= ceiling_; };
    calls.work = [this](const CountTask& task, const auto&) { return work(task); };
    calls.check = [this](const TaskResult& result) {
      nodes_.check(result.node);
      if (result.improvement.work < 0) throw MalformedMessage("polishing did less than nothing");
    };
    calls.on_report = [](CountTask&, double, bool) {};
    calls.take = [this](CountTask& task, auto answer) { return take(task, std::move(answer)); };
    calls.on_tick = [this] { return !time_.expired(); };
    for (CountTask& task : calls.run()) drawn_.push_back(std::move(task));
    return stuck_ ? undivided() : divided();
  }

 private:
  using Answer = ChildAnswer<TaskResult>;

  std::optional<CountTask> draw() {
    const bool polishes = !polishing_ && !to_polish_.empty();
    if (!polishes && drawn_.empty() && open_.size() < kMaxOpenNodes) branch();
    if (!polishes && drawn_.empty()) return std::nullopt;
    const std::optional<std::int64_t> share = work_.next();
    if (!share) return std::nullopt;
    CountTask task;
    if (polishes) {
      polishing_ = true;
      task = {.node = std::move(to_polish_.front()), .polishes = true};
      task.subproblem.bound = task.node->subproblem.bound;
      to_polish_.pop_front();
    } else {
      task = std::move(drawn_.front());
      drawn_.pop_front();
    }
    task.most_work = *share;
    return task;
  }

  /// Divides the best open node into two tasks.
  void branch() {
    const auto next = std::min_element(open_.begin(), open_.end(), better);
    if (next == open_.end()) return;
    const std::shared_ptr<const OpenNode> node = *next;
    open_.erase(next);
    if (node->subproblem.bound >= ceiling_) return open_.clear();
    for (const bool up : {false, true}) {
      CountTask task{.node = node, .subproblem = node->subproblem, .ceiling = ceiling_};
      const auto [count, most] = node->solved.split;
      CountRange range{.count = count};
      (up ? range.lower : range.upper) = static_cast<double>(up ? most + 1 : most);
      task.subproblem.ranges.push_back(range);
      waiting_bounds_.insert(task.subproblem.bound);
      drawn_.push_back(std::move(task));
    }
  }

  /// In a process of its own.
  TaskResult work(const CountTask& task) {
    const CountNode& node = task.node->solved;
    if (task.polishes) {
      return {.node = {.closed = true},
              .improvement = options_.improve(node.values, task.subproblem.bound, task.most_work)};
    }
    return {.node =
                nodes_.solve_child(node, task.subproblem,
                                   {.ceiling = task.ceiling, .most_work = task.most_work}, time_)};
  }

  bool take(CountTask& task, std::optional<Answer> answer) {
    work_.end(task.most_work, work_of(task, answer));
    if (task.polishes) {
      polishing_ = false;
      if (answer && answer->result) improve(answer->result->improvement.schedule);
      return work_.left() > 0;
    }
    waiting_bounds_.erase(waiting_bounds_.find(task.subproblem.bound));
    if (!answer) return true;
    ++count_;
    if (answer->result) {
      CountNode& node = answer->result->node;
      nodes_.adopt(node);
      keep(std::move(task.subproblem), std::move(node));
    } else {
      settled_.push_back(std::move(task.subproblem));  // its process failed
    }
    const double bound = open_bound();
    if (bound < ceiling_) {
      send_({.bound = with_settled(bound), .nodes = count_});
      stuck_ = has_no_progress(bound);
    }
    if (count_ >= next_polish_ && !open_.empty()) {
      next_polish_ *= kPolishGrowth;
      to_polish_.push_back(*std::min_element(open_.begin(), open_.end(), better));
    }
    return !stuck_ && work_.left() > 0;
  }

  /// What a task did, in moves.
  static std::int64_t work_of(const CountTask& task, const std::optional<Answer>& answer) {
    Work done;
    if (answer && answer->result) {
      done.add_moves(answer->result->node.work + answer->result->improvement.work);
    } else if (answer) {
      done.add_failed(task.most_work);
    }
    return done.moves();
  }

  void improve(const std::optional<Schedule>& schedule) {
    if (!schedule) return;
    send_({.schedule = schedule});
    options_.improved(*schedule);
    ceiling_ = options_.ceiling();
  }

  /// Keeps a node unless it is above the ceiling.
  void keep(Subproblem subproblem, CountNode solved) {
    subproblem.bound = solved.bound;
    if (solved.closed || subproblem.bound >= ceiling_) return;
    const bool divides = solved.split.count >= 0;
    const auto node = std::make_shared<const OpenNode>(
        OpenNode{.subproblem = std::move(subproblem), .solved = std::move(solved)});
    if (divides) {
      open_.push_back(node);
      return;
    }
    if (leaf_polishes_++ < kMaxLeafPolishes) to_polish_.push_back(node);
    settled_.push_back(node->subproblem);
  }

  bool has_no_progress(double bound) {
    if (count_ < next_check_) return false;
    next_check_ += kCheckedNodes;
    const bool progress = bound - checked_bound_ >= kMinProgress * (ceiling_ - bound);
    checked_bound_ = bound;
    return !progress;
  }

  /// The least bound of what is open or waits for an answer; infinity if nothing does.
  double open_bound() const {
    double bound = waiting_bounds_.empty() ? kInfinity : *waiting_bounds_.begin();
    for (const auto& node : open_) bound = std::min(bound, node->subproblem.bound);
    return bound;
  }

  /// The least of a bound on all open nodes and the bounds of the settled subproblems.
  double with_settled(double bound) const {
    for (const Subproblem& subproblem : settled_) bound = std::min(bound, subproblem.bound);
    return bound;
  }

  /// The whole problem as one subproblem, with the bound that the search has reached.
  CountBranchingResult undivided() const {
    const double bound = with_settled(open_bound());
    return searched({{.bound = bound}}, bound);
  }

  /// All that is left.
  CountBranchingResult divided() {
    for (const auto& node : open_) settled_.push_back(node->subproblem);
    for (CountTask& task : drawn_) {
      if (!task.polishes) settled_.push_back(std::move(task.subproblem));
    }
    std::erase_if(settled_,
                  [&](const Subproblem& subproblem) { return subproblem.bound >= ceiling_; });
    const double bound = with_settled(ceiling_);
    return searched(std::move(settled_), bound);
  }

  CountBranchingResult searched(std::vector<Subproblem> subproblems, double bound) const {
    return {.status = CountBranchingResult::Status::searched,
            .subproblems = std::move(subproblems),
            .bound = bound,
            .nodes = count_,
            .work = work_.done()};
  }

  const CountBranchingOptions& options_;
  Send send_;
  double ceiling_;
  CountNodes nodes_;
  std::vector<std::shared_ptr<const OpenNode>> open_;
  std::deque<CountTask> drawn_;                            // not in line yet
  std::multiset<double> waiting_bounds_;                   // of tasks without an answer
  std::deque<std::shared_ptr<const OpenNode>> to_polish_;  // one at a time: each begins with the
  bool polishing_ = false;                                 // schedule that the one before found
  std::vector<Subproblem> settled_;
  std::int64_t count_ = 0;  // of nodes
  WorkShares work_;
  std::int64_t next_polish_ = kFirstPolish;
  std::int64_t next_check_ = kCheckedNodes;
  double checked_bound_ = -kInfinity;
  bool stuck_ = false;
  int leaf_polishes_ = 0;
  Countdown time_{options_.time_limit_seconds};
};

}  // namespace

void check_ranges(const CountBranchingResult& result, std::size_t counts) {
  for (const Subproblem& subproblem : result.subproblems) {
    for (const CountRange& range : subproblem.ranges) {
      if (range.count < 0 || static_cast<std::size_t>(range.count) >= counts) {
        throw MalformedMessage("a range is about a count that does not exist");
      }
    }
  }
}

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
  call.check = [&](const CountBranchingResult& result) { check_ranges(result, counts.size()); };
  call.on_tick = [&] { return options.progress(bound, nodes); };
  call.seconds = options.time_limit_seconds + kGrace;
  call.memory_bytes = options.memory_bytes;
  return call.run().result.value_or(CountBranchingResult{});
}

}  // namespace poet
