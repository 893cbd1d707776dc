#include "solver/bounds/count_search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "process/child_process.hpp"
#include "solver/bounds/branching.hpp"
#include "solver/bounds/count_messages.hpp"
#include "solver/bounds/relaxation.hpp"
#include "solver/clock.hpp"

namespace poet {
namespace {

/// A node is left when this many rounds of cuts close less than this share of the distance to the
/// ceiling.
constexpr int kStallRounds = 3;
constexpr double kStallShare = 0.03;
/// Rows of the linear program, over those at the start, beyond which the slack ones leave.
constexpr double kRowGrowth = 2;
/// Nodes before the best open one is polished, and the factor to the next time; and settled nodes
/// that are polished.
constexpr std::int64_t kFirstPolish = 20;
constexpr int kPolishGrowth = 2;
constexpr int kMostLeafPolishes = 10;
/// Where this many nodes close less than this share of the distance to the ceiling, branching on
/// counts leads nowhere: the model's optimum lies below every schedule, or counts say too little.
constexpr std::int64_t kCheckedNodes = 300;
constexpr double kLeastProgress = 0.1;
/// Open nodes beyond which the rest is left to CBC: each holds a basis, up to half a megabyte.
constexpr std::size_t kMostOpenNodes = 2000;
constexpr Seconds kGrace = 0.3;

/// A part and where to branch next.
struct OpenNode {
  Part part;
  Branching branching;
  std::vector<double> values;  ///< of all columns
  Relaxation::Snapshot relaxation;
};

bool better(const OpenNode& a, const OpenNode& b) {
  return a.part.bound < b.part.bound;
}

class CountSearch {
 public:
  using Send = std::function<void(const Message&)>;

  CountSearch(const Formulation& model, const Graph& graph, const Milp& milp,
              const std::vector<Count>& counts, const CountSearchOptions& options, Send send)
      : counts_(counts),
        options_(options),
        send_(std::move(send)),
        ceiling_(options.ceiling()),
        relaxation_(model, graph, milp, options.techniques) {}

  CountSearchResult run() {
    relaxation_.start(options_.rows, options_.cuts);
    start_rows_ = relaxation_.rows();
    consider({});
    while (!open_.empty() && open_.size() < kMostOpenNodes && !time_.expired()) {
      const auto next = std::min_element(open_.begin(), open_.end(), better);
      const OpenNode node = std::move(*next);
      open_.erase(next);
      if (node.part.bound >= ceiling_) continue;
      report(node.part.bound);
      if (stuck(node.part.bound)) return undivided(node.part.bound);
      branch(node);
      if (nodes_ < next_polish_ || open_.empty()) continue;
      next_polish_ *= kPolishGrowth;
      const auto best = std::min_element(open_.begin(), open_.end(), better);
      polish(best->values, best->part.bound);
    }
    for (OpenNode& node : open_) settled_.push_back(std::move(node.part));
    std::erase_if(settled_, [&](const Part& part) { return part.bound >= ceiling_; });
    const double bound = with_settled(ceiling_);
    return {.status = CountSearchResult::Status::searched,
            .parts = std::move(settled_),
            .bound = bound,
            .nodes = nodes_};
  }

 private:
  bool stuck(double bound) {
    if (nodes_ < next_check_) return false;
    next_check_ += kCheckedNodes;
    const bool progress = bound - checked_bound_ >= kLeastProgress * (ceiling_ - bound);
    checked_bound_ = bound;
    return !progress;
  }

  /// The whole problem as one part, with the bound that has come of it.
  CountSearchResult undivided(double open_bound) const {
    const double bound = with_settled(open_bound);
    return {.status = CountSearchResult::Status::searched,
            .parts = {{.bound = bound}},
            .bound = bound,
            .nodes = nodes_};
  }

  /// The least of a bound on all that is open and the bounds of the settled parts.
  double with_settled(double bound) const {
    for (const Part& part : settled_) bound = std::min(bound, part.bound);
    return bound;
  }

  void report(double open_bound) { send_(progress_message(with_settled(open_bound), nodes_)); }

  void polish(const std::vector<double>& values, double bound) {
    const auto schedule = options_.improve(values, bound);
    if (!schedule) return;
    ceiling_ = options_.ceiling();
    send_(schedule_message(*schedule));
  }

  void branch(const OpenNode& node) {
    for (const bool up : {false, true}) {
      Part part = node.part;
      const auto [count, value] = node.branching;
      CountRange range{.count = count};
      (up ? range.lower : range.upper) = up ? std::ceil(value) : std::floor(value);
      part.ranges.push_back(range);
      relaxation_.restore(node.relaxation);
      consider(std::move(part));
    }
  }

  /// Bounds the part, and keeps it unless it is above the ceiling.
  void consider(Part part) {
    set_ranges(part.ranges);
    ++nodes_;
    std::vector<double> bounds;
    while (true) {
      const auto status = relaxation_.solve(ceiling_, std::max(time_.remaining(), 1e-3));
      if (status == LinearProgram::Status::infeasible) return;
      if (status == LinearProgram::Status::stopped) break;
      part.bound = std::max(part.bound, relaxation_.bound());
      bounds.push_back(part.bound);
      if (stalled(bounds) || time_.expired()) break;
      if (relaxation_.rows() > kRowGrowth * start_rows_) relaxation_.remove_slack_rows();
      if (!relaxation_.add_violated_rows()) break;
    }
    OpenNode node = opened(std::move(part));
    if (node.branching.count >= 0) {
      open_.push_back(std::move(node));
      return;
    }
    if (leaf_polishes_++ < kMostLeafPolishes) polish(node.values, node.part.bound);
    settled_.push_back(std::move(node.part));
  }

  bool stalled(const std::vector<double>& bounds) const {
    if (bounds.size() <= kStallRounds) return false;
    const double gained = bounds.back() - bounds[bounds.size() - 1 - kStallRounds];
    return gained < kStallShare * (ceiling_ - bounds.back());
  }

  void set_ranges(const std::vector<CountRange>& ranges) {
    for (const CountRange& range : tightest(ranges)) {
      relaxation_.limit(
          range.count,
          {.columns = counts_[range.count].columns, .lower = range.lower, .upper = range.upper});
    }
  }

  /// The part, as the relaxation has left it.
  OpenNode opened(Part part) const {
    const auto values = relaxation_.values();
    return {.part = std::move(part),
            .branching = choose_branching(counts_, values, ceiling_),
            .values = {values.begin(), values.end()},
            .relaxation = relaxation_.snapshot()};
  }

  const std::vector<Count>& counts_;
  const CountSearchOptions& options_;
  Send send_;
  double ceiling_;
  Relaxation relaxation_;
  int start_rows_ = 0;
  std::vector<OpenNode> open_;
  std::vector<Part> settled_;
  std::int64_t nodes_ = 0;
  std::int64_t next_polish_ = kFirstPolish;
  std::int64_t next_check_ = kCheckedNodes;
  double checked_bound_ = -kInfinity;
  int leaf_polishes_ = 0;
  Countdown time_{options_.time_limit_seconds};
};

}  // namespace

CountSearchResult run_count_search(const Formulation& model, const Graph& graph,
                                   const ScaledMilp& scaled, const std::vector<Count>& counts,
                                   const CountSearchOptions& options) {
  CountSearchResult result;
  double bound = -kInfinity;
  std::int64_t nodes = 0;
  const auto work = [&](const CountSearch::Send& send) {
    send(result_message(CountSearch(model, graph, scaled.milp, counts, options, send).run()));
  };
  const auto receive = [&](const Message& message) {
    Unpacker unpacker(message);
    switch (static_cast<CountMessage>(unpacker.get_as<int>())) {
      case CountMessage::progress:
        bound = std::max(bound, unpacker.get());
        nodes = unpacker.get_as<std::int64_t>();
        break;
      case CountMessage::schedule:
        options.improved(get_schedule(unpacker));
        break;
      case CountMessage::result:
        result = get_result(unpacker);
        break;
    }
    return options.progress(bound, nodes);
  };
  run_in_child(
      work, receive, [&] { return options.progress(bound, nodes); },
      options.time_limit_seconds + kGrace);
  return result;
}

}  // namespace poet
