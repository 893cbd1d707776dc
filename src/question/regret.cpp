// The regret of a schedule over a box of energy figures, from solves at its corners. A solve gives
// a schedule and a bound, so the regret is known from both sides: at no point more than the bounds
// at the corners allow, and as much as the schedules that were found there show. Each schedule is
// replayed at every corner, as it may be better there than what the solve there found in its time.
//
// What decides is the figure along whose edge the wrong schedule costs most: the schedule of one
// end at the other one. The nodes are those that the two page or recompute otherwise.

#include "question/regret.hpp"

#include <algorithm>
#include <utility>

#include "base/stopwatch.hpp"
#include "report/summary.hpp"

namespace poet {
namespace {

/// A schedule that is known at a corner, with its energies at all of them.
struct CornerSchedule {
  Schedule schedule;
  std::vector<Joules> energies;
};

/// How often a schedule computes and pages in each node.
std::vector<std::pair<int, int>> treatment(const Schedule& schedule, std::size_t nodes) {
  std::vector<std::pair<int, int>> counts(nodes);
  for (const Stage& stage : schedule.stages) {
    for (const int node : stage.compute) ++counts[node].first;
    for (const int node : stage.page_in) ++counts[node].second;
  }
  return counts;
}

std::vector<std::string> treated_otherwise(const Graph& graph, const Schedule& one,
                                           const Schedule& other) {
  const auto first = treatment(one, graph.nodes.size());
  const auto second = treatment(other, graph.nodes.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (first[i] != second[i]) names.push_back(graph.nodes[i].name);
  }
  return names;
}

class Corners {
 public:
  Corners(const EnergyBox& box, const Limits& limits, const Schedule& schedule)
      : box_(box), limits_(limits) {
    add(schedule);
    best_.assign(box.corners.size(), 0);
  }

  /// The least known energy at each corner, now that one more schedule is known.
  void add(const Schedule& schedule) {
    known_.push_back({schedule, energies_at(box_, schedule, limits_)});
    for (std::size_t c = 0; c < best_.size(); ++c) {
      if (known_.back().energies[c] < known_[best_[c]].energies[c]) best_[c] = known_.size() - 1;
    }
  }

  const std::vector<Joules>& of_the_schedule() const { return known_.front().energies; }
  const Schedule& best(std::size_t corner) const { return known_[best_[corner]].schedule; }

  std::vector<Joules> found() const {
    std::vector<Joules> energies;
    for (std::size_t c = 0; c < best_.size(); ++c) energies.push_back(known_[best_[c]].energies[c]);
    return energies;
  }

  /// The figure along whose edge the wrong schedule costs most, and the nodes that differ there.
  void decide(EnergyRange& range) const {
    double largest = kFigureTolerance;
    for (std::size_t k = 0; k < box_.figures.size(); ++k) {
      for (std::size_t c = 0; c < best_.size(); ++c) {
        const std::size_t other = c ^ std::size_t{1} << k;
        const Joules least = known_[best_[c]].energies[c];
        const Joules wrong = known_[best_[other]].energies[c];
        if (!(least > 0) || wrong / least - 1 <= largest) continue;
        largest = wrong / least - 1;
        range.deciding_figure = box_.figures[k].figure;
        range.deciding_nodes = treated_otherwise(box_.corners[c], best(c), best(other));
      }
    }
  }

 private:
  const EnergyBox& box_;
  const Limits& limits_;
  std::vector<CornerSchedule> known_;
  std::vector<std::size_t> best_;  ///< by corner: which of the known schedules
};

}  // namespace

EnergyRange energy_range(const EnergyBox& box, const Limits& limits, const Schedule& schedule,
                         const SolveOptions& options, const SolveFunction& work) {
  const Stopwatch watch;
  EnergyRange range;
  for (const FigureInterval& each : box.figures) {
    range.figures.push_back(each.figure);
    range.low_ends.push_back(each.low);
    range.high_ends.push_back(each.high);
  }
  Corners corners(box, limits, schedule);
  for (std::size_t c = 0; c < box.corners.size(); ++c) {
    SolveOptions at_corner = options;
    at_corner.settings.objective = Objective::energy;
    at_corner.settings.time_limit_seconds =
        rest_of_limit(options.settings.time_limit_seconds, watch.elapsed()) /
        static_cast<double>(box.corners.size() - c);
    at_corner.start = corners.best(c);
    const SolveResult result = work({.graph = box.corners[c], .limits = limits}, at_corner);
    if (result.schedule) corners.add(*result.schedule);
    range.bound_joules.push_back(
        std::max(result.lower_bound_joules, baseline(box.corners[c]).energy_joules));
  }
  range.schedule_joules = corners.of_the_schedule();
  range.found_joules = corners.found();
  // A bound may lie above the energy by what rounding does.
  for (std::size_t c = 0; c < range.bound_joules.size(); ++c) {
    range.bound_joules[c] = std::min(range.bound_joules[c], range.found_joules[c]);
  }
  range.regret_bound = largest_excess(range.schedule_joules, range.bound_joules);
  range.regret_found = largest_excess(range.schedule_joules, range.found_joules);
  corners.decide(range);
  return range;
}

}  // namespace poet
