#include "solver/formulation/path_cuts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace poet {
namespace {

constexpr double kCutViolation = 1e-3;
constexpr std::size_t kMostCuts = 1000;

/// For a fixed first interval a, the right-hand sides of the best cuts, interval by interval.
class PathSeparator {
 public:
  PathSeparator(const Graph& graph, std::span<const PathInterval> intervals,
                std::span<const double> copies)
      : graph_(graph), intervals_(intervals), copies_(copies) {}

  void run(int a, std::vector<PathCut>& found) {
    start(a);
    const int count = static_cast<int>(intervals_.size());
    for (int t = a; t < count; ++t) {
      advance(a, t);
      look(a, t);
    }
    for (PathCut& cut : best_) {
      if (cut.violation > kCutViolation) found.push_back(std::move(cut));
    }
  }

 private:
  void start(int a) {
    const std::size_t nodes = intervals_[a].held.size();
    page_ins_.assign(nodes, 0);
    computed_.assign(nodes, 0);
    cost_.assign(nodes, 0);
    next_.assign(nodes, -1);
    best_.assign(nodes, {});
  }

  /// Extends the period to the interval t and finds the cheapest path from each node, inputs first.
  void advance(int a, int t) {
    const PathInterval& last = intervals_[t];
    for (std::size_t i = 0; i < cost_.size(); ++i) {
      page_ins_[i] += last.paged_in[i];
      computed_[i] += last.computed[i];
      const auto [cheapest, input] = cheapest_input(static_cast<int>(i));
      const bool goes_on = cheapest < computed_[i];
      next_[i] = goes_on ? input : -1;
      cost_[i] = intervals_[a].held[i] + std::min(page_ins_[i], copies_[i]) +
                 (goes_on ? cheapest : computed_[i]);
    }
  }

  std::pair<double, int> cheapest_input(int i) const {
    std::pair<double, int> best{std::numeric_limits<double>::infinity(), -1};
    for (const int j : graph_.nodes[i].inputs) best = std::min(best, {cost_[j], j});
    return best;
  }

  /// What needs node i in the interval t: a first computation, the next moment, or a recomputation,
  /// which needs the inputs of its node.
  void look(int a, int t) {
    const PathInterval& last = intervals_[t];
    const bool has_next = t + 1 < static_cast<int>(intervals_.size());
    for (int i = 0; i < static_cast<int>(cost_.size()); ++i) {
      if (last.read[i]) {
        consider(a, t, i, {.kind = PathNeed::Kind::first_computation}, 1);
      } else if (has_next) {
        consider(a, t, i, {.kind = PathNeed::Kind::next_moment}, intervals_[t + 1].held[i]);
      }
      if (!last.may_compute[i] || t == a) continue;
      const auto [cheapest, input] = cheapest_input(i);
      if (input < 0) continue;
      consider(a, t, input, {.kind = PathNeed::Kind::recomputation, .user = i}, last.computed[i]);
    }
  }

  void consider(int a, int t, int i, const PathNeed& need, double needed) {
    const double violation = needed - cost_[i];
    PathCut& best = best_[i];
    if (violation <= std::max(best.violation, kCutViolation)) return;
    best = {.first = a, .last = t, .need = need, .violation = violation};
    for (int node = i; node >= 0; node = next_[node]) {
      best.path.push_back(node);
      best.by_copy.push_back(copies_[node] < page_ins_[node]);
    }
  }

  const Graph& graph_;
  std::span<const PathInterval> intervals_;
  std::span<const double> copies_;
  std::vector<double> page_ins_;  // sum of I over the intervals a to t
  std::vector<double> computed_;  // sum of R, likewise
  std::vector<double> cost_;      // right-hand side of the best path that starts from i
  std::vector<int> next_;         // the path's next node, or -1
  std::vector<PathCut> best_;     // by the first node of the path
};

}  // namespace

std::vector<PathCut> violated_path_cuts(const Graph& graph, std::span<const PathInterval> intervals,
                                        std::span<const double> copies) {
  std::vector<PathCut> found;
  PathSeparator separator(graph, intervals, copies);
  for (int a = 0; a < static_cast<int>(intervals.size()); ++a) separator.run(a, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const PathCut& x, const PathCut& y) { return x.violation > y.violation; });
  if (found.size() > kMostCuts) found.resize(kMostCuts);
  return found;
}

bool is_read_between(const Graph& graph, int i, int moment, int last) {
  const std::vector<int>& users = graph.users[i];
  const auto user = std::upper_bound(users.begin(), users.end(), moment);
  return user != users.end() && *user <= last;
}

}  // namespace poet
