// The rows `path`: what is in RAM was there at an earlier moment, or was paged in since, or was
// computed again since from inputs of which the same holds. They are precedence cuts. Within one
// interval a path is the sum of rows that the model has already; what it adds is that it spans
// several intervals. For a fixed first interval one pass over the nodes in their order finds the
// cheapest path from each, and a point gets one row at most for each first interval and first node.
//
// These rows keep more moments from making the bound weaker, which cumulated columns do in part:
// with those columns alone, bounds of layered graphs fall again from 32 moments on.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "solver/moments/moment_rows.hpp"

namespace poet {
namespace {

constexpr double kCutViolation = 1e-3;
constexpr std::size_t kMostCuts = 1000;

/// A point in an interval, by node up to the moment.
struct PathInterval {
  std::vector<double> held;  // in RAM at the moment
  std::vector<double> computed;
  std::vector<double> paged_in;
  std::vector<bool> read;  // by a first computation of the interval
};

/// What needs the first node of a path in the last interval: a first computation, which is certain,
/// the next moment, or a recomputation of `user`.
struct PathNeed {
  enum class Kind { first_computation, next_moment, recomputation };
  Kind kind = Kind::first_computation;
  int user = -1;
};

/// A row between the moments of two intervals.
struct PathCut {
  int first = 0;  // the interval a
  int last = 0;   // the interval t
  PathNeed need;
  std::vector<int> path;      // i_0 ... i_m
  std::vector<bool> by_copy;  // for each: P rather than the sum of page-ins
  double violation = 0;
};

/// For a fixed first interval a, the right-hand sides of the best cuts, interval by interval.
class PathSeparator {
 public:
  PathSeparator(const MomentModel& model, std::span<const double> values) : model_(model) {
    for (const ProofInterval& interval : model.intervals()) {
      points_.push_back(at_point(interval, values));
    }
    for (const ProofColumn paged : model.ever_paged()) {
      copies_.push_back(paged == kAbsent ? std::numeric_limits<double>::infinity()
                                         : value_at(values, paged));
    }
  }

  /// The most violated first.
  std::vector<PathCut> run() {
    for (int a = 0; a < count(); ++a) run(a);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const PathCut& x, const PathCut& y) { return x.violation > y.violation; });
    if (found_.size() > kMostCuts) found_.resize(kMostCuts);
    return std::move(found_);
  }

 private:
  int count() const { return static_cast<int>(points_.size()); }

  PathInterval at_point(const ProofInterval& interval, std::span<const double> values) const {
    PathInterval point;
    for (int i = 0; i <= interval.stage; ++i) {
      point.held.push_back(value_at(values, interval.in_ram[i]));
      point.computed.push_back(value_at(values, interval.recomputed[i]));
      point.paged_in.push_back(value_at(values, interval.paged_in[i]));
      point.read.push_back(model_.is_read_in(interval, i));
    }
    return point;
  }

  void run(int a) {
    const std::size_t nodes = points_[a].held.size();
    page_ins_.assign(nodes, 0);
    computed_.assign(nodes, 0);
    cost_.assign(nodes, 0);
    next_.assign(nodes, -1);
    best_.assign(nodes, {});
    for (int t = a; t < count(); ++t) {
      advance(a, t);
      look(a, t);
    }
    for (PathCut& cut : best_) {
      if (cut.violation > kCutViolation) found_.push_back(std::move(cut));
    }
  }

  /// Extends the period to the interval t and finds the cheapest path from each node, inputs first.
  void advance(int a, int t) {
    const PathInterval& last = points_[t];
    for (std::size_t i = 0; i < cost_.size(); ++i) {
      page_ins_[i] += last.paged_in[i];
      computed_[i] += last.computed[i];
      const auto [cheapest, input] = cheapest_input(static_cast<int>(i));
      const bool goes_on = cheapest < computed_[i];
      next_[i] = goes_on ? input : -1;
      cost_[i] = points_[a].held[i] + std::min(page_ins_[i], copies_[i]) +
                 (goes_on ? cheapest : computed_[i]);
    }
  }

  std::pair<double, int> cheapest_input(int i) const {
    std::pair<double, int> best{std::numeric_limits<double>::infinity(), -1};
    for (const int j : model_.node(i).inputs) best = std::min(best, {cost_[j], j});
    return best;
  }

  /// A recomputation needs the inputs of its node.
  void look(int a, int t) {
    const PathInterval& last = points_[t];
    const ProofInterval& interval = model_.intervals()[t];
    for (int i = 0; i < static_cast<int>(cost_.size()); ++i) {
      if (last.read[i]) {
        consider(a, t, i, {.kind = PathNeed::Kind::first_computation}, 1);
      } else if (t + 1 < count()) {
        consider(a, t, i, {.kind = PathNeed::Kind::next_moment}, points_[t + 1].held[i]);
      }
      if (interval.recomputed[i] == kAbsent || t == a) continue;
      const int input = cheapest_input(i).second;
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

  const MomentModel& model_;
  std::vector<PathInterval> points_;
  std::vector<double> copies_;    // by node, the value of P; infinite if it is never written out
  std::vector<double> page_ins_;  // sum of I over the intervals a to t
  std::vector<double> computed_;  // sum of R, likewise
  std::vector<double> cost_;      // right-hand side of the best path that starts from i
  std::vector<int> next_;         // the path's next node, or -1
  std::vector<PathCut> best_;     // by the first node of the path
  std::vector<PathCut> found_;
};

/// NEED as a certificate has it, and its column.
std::pair<std::string, ProofColumn> need_of(const MomentModel& model, const PathCut& cut) {
  switch (cut.need.kind) {
    case PathNeed::Kind::first_computation:
      break;
    case PathNeed::Kind::next_moment:
      return {"S", model.intervals()[cut.last + 1].in_ram[cut.path.front()]};
    case PathNeed::Kind::recomputation:
      return {fmt::format("R{}", cut.need.user),
              model.intervals()[cut.last].recomputed[cut.need.user]};
  }
  return {"1", kCertain};
}

ProofRow row_of(const MomentModel& model, const PathCut& cut) {
  const std::vector<ProofInterval>& intervals = model.intervals();
  const auto [need, needed] = need_of(model, cut);
  ProofRow row{.line = fmt::format("path {} {} {}", intervals[cut.first].stage,
                                   intervals[cut.last].stage, need)};
  row.add(-1, needed);
  for (std::size_t l = 0; l < cut.path.size(); ++l) {
    const int i = cut.path[l];
    row.line += fmt::format(" {}{}", cut.by_copy[l] ? "P" : "", i);
    row.add(1, intervals[cut.first].in_ram[i]);
    if (cut.by_copy[l]) {
      row.add(1, model.ever_paged()[i]);
    } else {
      for (int v = cut.first; v <= cut.last; ++v) row.add(1, intervals[v].paged_in[i]);
    }
  }
  for (int v = cut.first; v <= cut.last; ++v) {
    row.add(1, intervals[v].recomputed[cut.path.back()]);
  }
  return row;
}

}  // namespace

std::vector<ProofRow> violated_paths(const MomentModel& model, std::span<const double> values) {
  std::vector<ProofRow> rows;
  for (const PathCut& cut : PathSeparator(model, values).run()) {
    ProofRow row = row_of(model, cut);
    if (row.finish()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace poet
