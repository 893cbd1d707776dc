#include "solver/count_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "process/child_process.hpp"
#include "solver/packer.hpp"
#include "solver/relaxation.hpp"

namespace poet {
namespace {

/// A node is left when this many rounds of cuts close less than this share of the distance to the
/// ceiling.
constexpr int kStallRounds = 3;
constexpr double kStallShare = 0.03;
/// Rows of the linear program, over those at the start, beyond which the slack ones leave.
constexpr double kRowGrowth = 2;
/// What branching on a count can gain at least, as a share of the ceiling: less is CBC's work.
constexpr double kLeastGain = 1e-3;
/// How much rather to branch on a count of its kind: those of like nodes cut the problem in the
/// middle, that of one node is often a matter of symmetry, and a single column says little.
double preference(CountKind kind) {
  switch (kind) {
    case CountKind::like_nodes:
      return 3;
    case CountKind::one_node:
      return 1;
    case CountKind::one_column:
      break;
  }
  return 0.1;
}
/// Parts, those with the least bounds first, whose points are sent back.
constexpr std::size_t kPointsSent = 3;
constexpr Seconds kGrace = 0.3;

/// A part and where to branch next.
struct OpenNode {
  Part part;
  int count = -1;    ///< that is fractional; -1: none that matters
  double value = 0;  ///< of it
  Relaxation::Snapshot relaxation;
};

bool better(const OpenNode& a, const OpenNode& b) {
  return a.part.bound < b.part.bound;
}

class CountSearch {
 public:
  CountSearch(const Formulation& model, const Graph& graph, const Milp& milp,
              const std::vector<Count>& counts, const CountSearchOptions& options)
      : counts_(counts), options_(options), relaxation_(model, graph, milp, options.techniques) {}

  CountSearchResult run(const std::function<void(double, std::int64_t)>& report) {
    relaxation_.start(options_.rows, options_.cuts);
    start_rows_ = relaxation_.rows();
    // Parts are taken up again from the optimum over all of them.
    relaxation_.solve(options_.ceiling, remaining());
    first_ = relaxation_.snapshot();
    for (const Part& part : options_.parts) resume(part);
    while (!open_.empty() && nodes_ < options_.nodes && remaining() > 0) {
      const auto next = std::min_element(open_.begin(), open_.end(), better);
      const OpenNode node = std::move(*next);
      open_.erase(next);
      report(std::min(node.part.bound, least_bound(settled_)), nodes_);
      branch(node);
    }
    for (OpenNode& node : open_) settled_.push_back(std::move(node.part));
    std::sort(settled_.begin(), settled_.end(),
              [](const Part& a, const Part& b) { return a.bound < b.bound; });
    for (std::size_t at = kPointsSent; at < settled_.size(); ++at) settled_[at].values.clear();
    return {.status = CountSearchResult::Status::searched,
            .parts = std::move(settled_),
            .nodes = nodes_};
  }

 private:
  static double least_bound(const std::vector<Part>& parts) {
    double least = kInfinity;
    for (const Part& part : parts) least = std::min(least, part.bound);
    return least;
  }

  Seconds remaining() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    return options_.time_limit_seconds - spent.count();
  }

  void resume(const Part& part) {
    if (part.bound >= options_.ceiling) return;
    if (part.settled || remaining() <= 0) {
      settled_.push_back(part);
      return;
    }
    relaxation_.restore(first_);
    consider({.bound = part.bound, .ranges = part.ranges});
  }

  void branch(const OpenNode& node) {
    for (const bool up : {false, true}) {
      Part part{.bound = node.part.bound, .ranges = node.part.ranges};
      CountRange range{.count = node.count};
      (up ? range.lower : range.upper) = up ? std::ceil(node.value) : std::floor(node.value);
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
      const auto status = relaxation_.solve(options_.ceiling, std::max(remaining(), 1e-3));
      if (status == LinearProgram::Status::infeasible) return;
      if (status == LinearProgram::Status::stopped) break;
      part.bound = std::max(part.bound, relaxation_.objective());
      bounds.push_back(part.bound);
      if (stalled(bounds) || remaining() <= 0) break;
      if (relaxation_.rows() > kRowGrowth * start_rows_) relaxation_.remove_slack_rows();
      if (!relaxation_.add_violated_rows()) break;
    }
    if (!bounds.empty()) {
      part.values.assign(relaxation_.values().begin(), relaxation_.values().end());
    }
    OpenNode node = choose_branch(std::move(part));
    if (node.count >= 0) {
      open_.push_back(std::move(node));
    } else {
      node.part.settled = true;
      settled_.push_back(std::move(node.part));
    }
  }

  bool stalled(const std::vector<double>& bounds) const {
    if (bounds.size() <= kStallRounds) return false;
    const double gained = bounds.back() - bounds[bounds.size() - 1 - kStallRounds];
    return gained < kStallShare * (options_.ceiling - bounds.back());
  }

  /// Of several ranges for one count the tightest holds.
  void set_ranges(const std::vector<CountRange>& ranges) {
    for (const CountRange& range : tightest(ranges)) {
      relaxation_.limit(
          range.count,
          {.columns = counts_[range.count].columns, .lower = range.lower, .upper = range.upper});
    }
  }

  static std::vector<CountRange> tightest(const std::vector<CountRange>& ranges) {
    std::vector<CountRange> result;
    for (const CountRange& range : ranges) {
      const auto known = std::find_if(result.begin(), result.end(), [&](const CountRange& other) {
        return other.count == range.count;
      });
      if (known == result.end()) {
        result.push_back(range);
      } else {
        known->lower = std::max(known->lower, range.lower);
        known->upper = std::min(known->upper, range.upper);
      }
    }
    return result;
  }

  OpenNode choose_branch(Part part) const {
    OpenNode node{.part = std::move(part), .relaxation = relaxation_.snapshot()};
    double best = 0;
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      double value = 0;
      for (const int column : counts_[c].columns) value += relaxation_.values()[column];
      const double fraction = value - std::floor(value);
      const double gain = counts_[c].weight * std::min(fraction, 1 - fraction);
      if (gain < kLeastGain * options_.ceiling) continue;
      const double score = gain * preference(counts_[c].kind);
      if (score <= best) continue;
      best = score;
      node.count = static_cast<int>(c);
      node.value = value;
    }
    return node;
  }

  const std::vector<Count>& counts_;
  const CountSearchOptions& options_;
  Relaxation relaxation_;
  int start_rows_ = 0;
  Relaxation::Snapshot first_;  // where parts are resumed
  std::vector<OpenNode> open_;
  std::vector<Part> settled_;
  std::int64_t nodes_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Message pack(const CountSearchResult& result) {
  Packer packer;
  packer.put(static_cast<double>(result.status));
  packer.put(static_cast<double>(result.nodes));
  packer.put(static_cast<double>(result.parts.size()));
  for (const Part& part : result.parts) {
    packer.put(part.bound);
    packer.put(part.settled ? 1 : 0);
    packer.put(static_cast<double>(part.ranges.size()));
    for (const CountRange& range : part.ranges) {
      packer.put(range.count);
      packer.put(range.lower);
      packer.put(range.upper);
    }
    packer.put(static_cast<double>(part.values.size()));
    for (const double value : part.values) packer.put(value);
  }
  return packer.message();
}

CountSearchResult unpack(const Message& message) {
  Unpacker unpacker(message);
  CountSearchResult result;
  result.status = static_cast<CountSearchResult::Status>(unpacker.get_int());
  result.nodes = unpacker.get_int();
  result.parts.resize(unpacker.get_int());
  for (Part& part : result.parts) {
    part.bound = unpacker.get();
    part.settled = unpacker.get_int() != 0;
    part.ranges.resize(unpacker.get_int());
    for (CountRange& range : part.ranges) {
      range.count = unpacker.get_int();
      range.lower = unpacker.get();
      range.upper = unpacker.get();
    }
    part.values.resize(unpacker.get_int());
    for (double& value : part.values) value = unpacker.get();
  }
  return result;
}

}  // namespace

bool CountSearchResult::complete() const {
  return std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.settled; });
}

double CountSearchResult::bound(double ceiling) const {
  double least = ceiling;
  for (const Part& part : parts) least = std::min(least, part.bound);
  return least;
}

CountSearchResult run_count_search(
    const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
    const std::vector<Count>& counts, const CountSearchOptions& options,
    const std::function<bool(double bound, std::int64_t nodes)>& progress) {
  CountSearchResult result;
  double bound = -kInfinity;
  std::int64_t nodes = 0;
  const auto work = [&](const std::function<void(const Message&)>& send) {
    const auto report = [&](double now, std::int64_t so_far) {
      Packer packer;
      packer.put(now);
      packer.put(static_cast<double>(so_far));
      send(packer.message());
    };
    send(pack(CountSearch(model, graph, scaled.milp, counts, options).run(report)));
  };
  const auto receive = [&](const Message& message) {
    if (message.size() == 2 * sizeof(double)) {
      Unpacker unpacker(message);
      bound = std::max(bound, unpacker.get());
      nodes = unpacker.get_int();
      return progress(bound, nodes);
    }
    result = unpack(message);
    return true;
  };
  run_in_child(
      work, receive, [&] { return progress(bound, nodes); }, options.time_limit_seconds + kGrace);
  return result;
}

}  // namespace poet
