#include "solver/search/plan_judge.hpp"

#include <algorithm>

#include "solver/search/chain.hpp"
#include "solver/search/greedy.hpp"
#include "solver/search/tightening.hpp"

namespace poet {
namespace {

constexpr double kOpenEnd = 1e9;  // moves without a better plan: a judgement ends by their number

// Of the search for less violation: as hot steps of tightening are.
constexpr double kReliefHeat = 2;     // of the energy scale
constexpr double kReliefEnd = 0.1;    // of the heat
constexpr double kBytesShare = 1e-3;  // of the budget, which are worth the heat

std::vector<Entry> placed(const NodePlan& plan, const NodeNumbers& numbers) {
  std::vector<Entry> entries;
  entries.reserve(plan.entries.size());
  for (const PlannedEntry& planned : plan.entries) {
    const int node = numbers.place[planned.node];
    const int stage = numbers.place[planned.stage_of];
    if (stage <= node) continue;  // the graph is another one now
    switch (planned.kind) {
      case PlannedEntry::Kind::computation:
        entries.push_back({node, computation(stage, node)});
        break;
      case PlannedEntry::Kind::page_in:
        entries.push_back({node, stage_start(stage)});
        break;
      case PlannedEntry::Kind::late_page_out:
        entries.push_back({node, stage_end(stage)});
        break;
    }
  }
  return entries;
}

NodePlan planned(const std::vector<Entry>& entries, const NodeNumbers& numbers) {
  NodePlan plan;
  plan.entries.reserve(entries.size());
  for (const Entry& entry : entries) {
    const PlannedEntry::Kind kind = is_computation(entry.at) ? PlannedEntry::Kind::computation
                                    : is_stage_end(entry.at) ? PlannedEntry::Kind::late_page_out
                                                             : PlannedEntry::Kind::page_in;
    plan.entries.push_back({numbers.number[entry.node], numbers.number[stage_of(entry.at)], kind});
  }
  return plan;
}

NodePlan plan_of_timeline(const Timeline& timeline, const NodeNumbers& numbers) {
  NodePlan plan = planned(timeline.entries(), numbers);
  const SearchScales scales = scales_of(timeline.costs());
  plan.trouble = scales.price * static_cast<double>(timeline.violation()) +
                 scales.time * static_cast<double>(timeline.overtime());
  plan.extra_joules = timeline.costs().joules(timeline.extra_energy());
  return plan;
}

/// Fills the timeline with the best plan that so many moves find from the one that it has.
void refine(Timeline& timeline, std::int64_t moves, std::uint64_t seed,
            const std::function<bool()>& stop) {
  const WholeCosts& costs = timeline.costs();
  std::vector<Entry> best = timeline.entries();
  const ChainTask task{.number = static_cast<int>(seed % 6),
                       .seed = seed,
                       .length = static_cast<double>(moves) / 3,
                       .full = kOpenEnd,
                       .price = scales_of(costs).price,
                       .refines = true,
                       .start = best,
                       .best = FoundPlan{best, timeline.extra_energy(), 0},
                       .moves = moves};
  Chain chain(costs, seed);
  chain.run(
      task, moves, [&](const ChainReport& report) { best = report.entries; }, stop);
  timeline.restore(best);
}

/// Fills it with a plan of less violation.
void relieve(Timeline& timeline, std::int64_t moves, std::uint64_t seed,
             const std::function<bool()>& stop) {
  const WholeCosts& costs = timeline.costs();
  Random random(seed);
  TimelineMoves changes(timeline, random);
  changes.set_window({0, timeline.size() - 1});
  const SearchScales scales = scales_of(costs);
  const double hot = kReliefHeat * scales.energy;
  const double bytes = std::max(1.0, kBytesShare * static_cast<double>(costs.ram_budget));
  const ThresholdResult found = search_by_threshold(timeline, changes,
                                                    {.moves = moves,
                                                     .hot = hot,
                                                     .cold = kReliefEnd * hot,
                                                     .price = hot / bytes,
                                                     .time_price = scales.time,
                                                     .steer = false},
                                                    random, stop);
  timeline.restore(found.best ? found.best->entries : found.nearest.entries);
}

}  // namespace

NodePlan judge_plan(const Problem& problem, const NodeNumbers& numbers, const NodePlan& from,
                    std::int64_t moves, std::uint64_t seed, const std::function<bool()>& stop) {
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  timeline.restore(placed(from, numbers));
  const TechniqueSet& techniques = problem.limits.techniques;
  if (techniques.paging || techniques.remat) {
    if (!timeline.feasible()) {
      descend(timeline, Return::any, stop);
      if (!timeline.feasible()) relieve(timeline, moves, seed, stop);
      if (timeline.feasible()) prune(timeline, stop);
    }
    if (timeline.feasible()) refine(timeline, moves, seed, stop);
  }
  return plan_of_timeline(timeline, numbers);
}

NodePlan plan_of(const Problem& problem, const NodeNumbers& numbers, const Schedule& schedule) {
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  timeline.restore(entries_of(schedule));
  return plan_of_timeline(timeline, numbers);
}

Schedule schedule_of(const Problem& problem, const NodeNumbers& numbers, const NodePlan& plan) {
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  timeline.restore(placed(plan, numbers));
  return to_schedule(timeline);
}

}  // namespace poet
