#include "solver/search/segment_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "problem/cut_nodes.hpp"
#include "solver/search/position.hpp"

namespace poet {
namespace {

constexpr std::size_t kLeastEnds = 3;  // segments of which a search makes sense
constexpr int kPatience = 150;         // tries without a better plan
constexpr int kLeastStages = 8;        // stages
constexpr double kShortWindow = 0.01;  // of the stages
constexpr double kWindowRange = 40;    // the longest window over the shortest
constexpr int kRecomputed = 4;         // all but one try in so many compute the segments again

/// The entries that compute a segment again, all in one stage.
struct Segment {
  int stage = 0;
  std::vector<Entry> entries;
};

/// What lies between two of `ends`, which are ascending. It is computed again when the backward
/// pass first reads one of its tensors. What lies behind the last end is kept.
std::vector<Segment> segments_between(const std::vector<int>& ends, const Timeline& timeline) {
  const Graph& graph = timeline.costs().graph();
  std::vector<Segment> segments;
  int first = 0;
  for (const int end : ends) {
    Segment segment{.stage = graph.size()};
    for (int node = first; node < end; ++node) {
      segment.stage = std::min(segment.stage, first_backward_use(graph, node));
    }
    for (int node = first; node < end; ++node) {
      if (timeline.may_compute(node, segment.stage)) {
        segment.entries.push_back({node, computation(segment.stage, node)});
      }
    }
    if (!segment.entries.empty()) segments.push_back(std::move(segment));
    first = end + 1;
  }
  return segments;
}

void append(const std::vector<Entry>& more, std::vector<Entry>& entries) {
  entries.insert(entries.end(), more.begin(), more.end());
}

class SegmentSearch {
 public:
  SegmentSearch(Timeline& timeline, const SegmentSearchOptions& options)
      : timeline_(timeline), options_(options), random_(options.seed), best_(options.start) {}

  std::optional<FoundPlan> run() {
    std::vector<int> ends = cut_nodes(timeline_.costs().graph());
    timeline_.restore({});
    segments_ = segments_between(ends, timeline_);
    for (; ends.size() >= kLeastEnds && !options_.stop(); halve(ends)) open(ends);
    if (!best_ || segments_.size() < kLeastEnds) return found_;
    int failures = 0;
    for (std::int64_t k = 0; k < options_.tries && failures < kPatience; ++k) {
      if (options_.stop()) break;
      failures = rebuild_window() ? 0 : failures + 1;
    }
    return found_;
  }

 private:
  /// The last end stays: the backward pass needs its segment first.
  static void halve(std::vector<int>& ends) {
    std::vector<int> fewer;
    for (std::size_t k = (ends.size() - 1) % 2; k < ends.size(); k += 2) fewer.push_back(ends[k]);
    ends = std::move(fewer);
  }

  void open(const std::vector<int>& ends) {
    timeline_.restore({});
    std::vector<Entry> entries;
    for (const Segment& segment : segments_between(ends, timeline_))
      append(segment.entries, entries);
    if (entries.empty()) return;
    repair(entries, Return::at_use, nullptr);
  }

  bool rebuild_window() {
    const int size = timeline_.size();
    const double drawn = kShortWindow * size * std::pow(kWindowRange, random_.uniform());
    const int width = kLeastStages + static_cast<int>(drawn);
    const int first = random_.below(size + width) - width;
    const auto is_inside = [&](int stage) { return first <= stage && stage <= first + width; };
    std::vector<Entry> entries;
    for (const Entry& entry : best_->entries) {
      if (!is_inside(stage_of(entry.at))) entries.push_back(entry);
    }
    if (random_.below(kRecomputed) > 0) {
      for (const Segment& segment : segments_) {
        if (is_inside(segment.stage)) append(segment.entries, entries);
      }
    }
    return repair(entries, random_.below(2) == 0 ? Return::at_use : Return::any, &random_);
  }

  /// Whether a better plan came of it. An equal one is as good to go on from.
  bool repair(const std::vector<Entry>& entries, Return back, Random* noise) {
    timeline_.restore(entries);
    descend(timeline_, back, options_.stop, noise);
    if (!timeline_.feasible()) return false;
    prune(timeline_, options_.stop);
    const Units energy = timeline_.extra_energy();
    if (best_ && energy > best_->energy) return false;
    const bool is_better = !best_ || energy < best_->energy;
    best_ = FoundPlan{.entries = timeline_.entries(), .energy = energy};
    if (!is_better) return false;
    found_ = best_;
    options_.improved(timeline_);
    return true;
  }

  Timeline& timeline_;
  const SegmentSearchOptions& options_;
  Random random_;
  std::vector<Segment> segments_;  // between all ends
  std::optional<FoundPlan> best_;  // to go on from
  std::optional<FoundPlan> found_;
};

}  // namespace

std::optional<FoundPlan> search_segments(Timeline& timeline, const SegmentSearchOptions& options) {
  const Graph& graph = timeline.costs().graph();
  const bool can_recompute = timeline.costs().problem->limits.techniques.remat;
  if (!can_recompute || !graph.has_backward()) return std::nullopt;
  return SegmentSearch(timeline, options).run();
}

}  // namespace poet
