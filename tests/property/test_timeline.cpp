// A timeline keeps its figures while entries come and go. Here it is held against the judge, which
// counts everything anew, and against itself before a change that was undone.

#include <algorithm>

#include <gtest/gtest.h>

#include "poet/simulate.hpp"
#include "solver/search/position.hpp"
#include "solver/search/timeline.hpp"
#include "support/random_graphs.hpp"
#include "support/wild_problems.hpp"

namespace poet {
namespace {

Bytes stage_peak(const Timeline& timeline, int stage) {
  const RamProfile& ram = timeline.ram();
  Bytes peak = 0;
  for (int event = ram.first_of(stage); event < ram.first_of(stage + 1); ++event) {
    peak = std::max(peak, ram.ram(event));
  }
  return peak;
}

/// What a timeline claims of itself, held against the judge under ample budgets.
void expect_agrees_with_simulator(const Timeline& timeline) {
  const Problem& problem = *timeline.costs().problem;
  Limits ample{.ram_budget_bytes = kMaxBytes,
               .runtime_budget_seconds = 1e30,
               .techniques = problem.limits.techniques,
               .paging_time = problem.limits.paging_time};
  const Replay replay = simulate(problem.graph, to_schedule(timeline), ample);
  ASSERT_TRUE(replay.valid()) << replay.violations.front().message;
  const Baseline base = baseline(problem.graph);
  // Every cost is rounded to half a unit, and an entry has two at most.
  const WholeCosts& costs = timeline.costs();
  const auto rounded = static_cast<double>(timeline.entries().size());
  EXPECT_NEAR(replay.energy_joules - base.energy_joules, costs.joules(timeline.extra_energy()),
              1e-9 * replay.energy_joules + rounded * costs.joules_per_unit);
  EXPECT_NEAR(replay.runtime_seconds - base.runtime_seconds,
              static_cast<double>(timeline.extra_time()) * costs.seconds_per_unit,
              1e-9 * replay.runtime_seconds + rounded * costs.seconds_per_unit);
  const Bytes budget = problem.limits.ram_budget_bytes;
  Bytes over_budget = 0;
  for (int event = 0; event < timeline.ram().events(); ++event) {
    over_budget += std::max<Bytes>(0, timeline.ram().ram(event) - budget);
  }
  over_budget += std::max<Bytes>(0, replay.written_bytes - write_budget(problem.limits));
  EXPECT_EQ(timeline.violation(), over_budget);
  for (int t = 0; t < timeline.size(); ++t) {
    ASSERT_EQ(stage_peak(timeline, t), replay.stage_peak_ram_bytes[t]) << "stage " << t;
  }
}

Entry draw_entry(const Timeline& timeline, Random& random) {
  const int node = random.below(timeline.size());
  const int stage = random.below(timeline.size());
  const bool page = random.below(2) == 0;
  return {node, page ? stage_start(stage) : computation(stage, node)};
}

/// Puts off a page-out, most often one that is made. A node has one entry for it at most.
void put_off_some(Timeline& timeline, Random& random) {
  const int count = static_cast<int>(timeline.entries().size());
  const int node = random.below(4) == 0 ? random.below(timeline.size())
                                        : timeline.entries()[random.below(count)].node;
  const int stages = std::max(1, timeline.last_page_out_stage(node) - node);
  const Entry entry{node, stage_end(node + 1 + random.below(stages))};
  if (timeline.may_add(entry)) timeline.insert(entry);
}

void insert_some(Timeline& timeline, Random& random) {
  const Entry entry = draw_entry(timeline, random);
  if (timeline.may_add(entry)) timeline.insert(entry);
}

Entry remove_some(Timeline& timeline, Random& random) {
  const int count = static_cast<int>(timeline.entries().size());
  const Entry entry = timeline.entries()[random.below(count)];
  timeline.remove(entry);
  return entry;
}

/// Moves an entry to a stage nearby.
void shift_some(Timeline& timeline, Random& random) {
  const Entry entry = remove_some(timeline, random);
  const int stage = stage_of(entry.at) + random.below(5) - 2;
  // The moment within the stage stays the same.
  const Entry moved{entry.node, entry.at - stage_start(stage_of(entry.at)) + stage_start(stage)};
  if (stage < timeline.size() && timeline.may_add(moved)) timeline.insert(moved);
}

void change_some(Timeline& timeline, Random& random) {
  for (int more = 1 + random.below(4); more > 0; --more) {
    const int kind = timeline.entries().empty() ? 0 : random.below(8);
    if (kind < 3) {
      insert_some(timeline, random);
    } else if (kind == 3) {
      remove_some(timeline, random);
    } else if (kind < 7) {
      put_off_some(timeline, random);
    } else {
      shift_some(timeline, random);
    }
  }
  timeline.tidy();
}

std::vector<std::pair<int, Position>> sorted_entries(const Timeline& timeline) {
  std::vector<std::pair<int, Position>> sorted;
  for (const Entry& entry : timeline.entries()) sorted.emplace_back(entry.node, entry.at);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void expect_same(const Timeline& a, const Timeline& b) {
  ASSERT_EQ(sorted_entries(a), sorted_entries(b));
  ASSERT_EQ(a.ram(), b.ram());
  ASSERT_EQ(a.extra_energy(), b.extra_energy());
  ASSERT_EQ(a.extra_time(), b.extra_time());
  ASSERT_EQ(a.violation(), b.violation());
  ASSERT_EQ(to_schedule(a), to_schedule(b));
}

Problem draw_problem(Random& random) {
  const int size = 4 + random.below(20);
  switch (random.below(4)) {
    case 0:
      return test::random_problem(random, size);
    case 1:
      return test::wild_problem(random, size, test::Numbers::wild);
    case 2:
      return test::random_exact_problem(random, size);
    default:
      Problem problem = test::random_exact_problem(random, size);
      problem.limits.paging_time = PagingTime::overlapped;
      return problem;
  }
}

/// Calls visit(random, costs) for as many random problems.
template <typename Visit>
void for_problems(int count, Visit&& visit) {
  for (int seed = 0; seed < count && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Problem problem = draw_problem(random);
    visit(random, WholeCosts(problem));
  }
}

TEST(Timeline, StartsAsTheBaseline) {
  for_problems(100, [](Random&, const WholeCosts& costs) {
    const Timeline timeline(costs);
    const Baseline base = baseline(costs.graph());
    EXPECT_EQ(to_schedule(timeline), base.schedule);
    EXPECT_EQ(timeline.extra_energy(), 0);
    EXPECT_EQ(timeline.ram().peak(), base.peak_ram_bytes);
    expect_agrees_with_simulator(timeline);
  });
}

/// How many page-outs come later than they need to.
int count_late_page_outs(const Timeline& timeline) {
  return static_cast<int>(std::count_if(timeline.entries().begin(), timeline.entries().end(),
                                        [](const Entry& entry) { return is_stage_end(entry.at); }));
}

TEST(Timeline, AgreesWithTheSimulatorAfterEveryChange) {
  int changed = 0;
  int put_off = 0;
  for_problems(300, [&](Random& random, const WholeCosts& costs) {
    Timeline timeline(costs);
    for (int step = 0; step < 60 && !HasFatalFailure(); ++step) {
      change_some(timeline, random);
      timeline.commit();
      expect_agrees_with_simulator(timeline);
      changed += timeline.entries().empty() ? 0 : 1;
      put_off += count_late_page_outs(timeline);
    }
  });
  EXPECT_GT(changed, 5000);
  EXPECT_GT(put_off, 500);
}

TEST(Timeline, RollbackRestoresEverything) {
  for_problems(300, [](Random& random, const WholeCosts& costs) {
    Timeline timeline(costs);
    for (int step = 0; step < 60 && !HasFatalFailure(); ++step) {
      const Timeline before = timeline;
      change_some(timeline, random);
      if (random.below(2) == 0) {
        timeline.commit();
        continue;
      }
      timeline.rollback();
      expect_same(timeline, before);
    }
  });
}

TEST(Timeline, IsRebuiltFromItsEntriesAndFromItsSchedule) {
  for_problems(100, [](Random& random, const WholeCosts& costs) {
    Timeline timeline(costs);
    for (int step = 0; step < 30; ++step) {
      change_some(timeline, random);
      timeline.commit();
    }
    Timeline again(costs);
    std::vector<Entry> entries = timeline.entries();
    for (int i = static_cast<int>(entries.size()); i > 1; --i) {
      std::swap(entries[i - 1], entries[random.below(i)]);
    }
    again.restore(entries);
    expect_same(again, timeline);
    again.restore({});
    expect_same(again, Timeline(costs));
    again.restore(entries_of(to_schedule(timeline)));
    expect_same(again, timeline);
  });
}

/// A chain of eight nodes of which the last reads the first.
Problem overlapped_chain() {
  Problem problem = test::chain_problem(8, 100);
  std::vector<Node> nodes(problem.graph.nodes.begin(), problem.graph.nodes.begin() + 8);
  nodes[7].inputs = {0, 6};
  problem.graph = make_graph(std::move(nodes));
  problem.limits.paging_time = PagingTime::overlapped;
  return problem;
}

TEST(Timeline, PutsOffPageOutsOnlyBeforeTheTensorIsBackOrComputedAgain) {
  Problem problem = overlapped_chain();
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  const auto may_put_off = [&](int stage) { return timeline.may_add({0, stage_end(stage)}); };
  EXPECT_FALSE(may_put_off(1));
  EXPECT_TRUE(may_put_off(5));
  EXPECT_FALSE(may_put_off(6));  // nothing could page it in any more
  timeline.insert({0, stage_start(6)});
  EXPECT_TRUE(may_put_off(4));
  EXPECT_FALSE(may_put_off(5));
  timeline.insert({0, stage_end(4)});
  EXPECT_FALSE(may_put_off(3));  // it has a stage already
  EXPECT_FALSE(timeline.may_arrive(0, 5));
  EXPECT_FALSE(timeline.may_compute(0, 4));
  EXPECT_TRUE(timeline.may_compute(0, 5));
  EXPECT_EQ(to_schedule(timeline).stages[4].page_out, std::vector{0});

  timeline.remove({0, stage_start(6)});
  timeline.tidy();
  EXPECT_TRUE(timeline.entries().empty());  // no page-in is left that needs it
  timeline.rollback();
  EXPECT_TRUE(timeline.entries().empty());

  for (const PagingTime paging_time : {PagingTime::free, PagingTime::blocking}) {
    problem.limits.paging_time = paging_time;
    const WholeCosts others(problem);
    EXPECT_FALSE(Timeline(others).may_add({0, stage_end(4)}));
  }
}

/// Stage 3 computes node 0 again and stage 4 writes it out, which a timeline cannot express.
TEST(Timeline, LeavesOutThePageOutOfATensorThatWasComputedAgain) {
  Schedule schedule = baseline(overlapped_chain().graph).schedule;
  for (const int t : {2, 3, 5, 6}) std::erase(schedule.stages[t].resident, 0);
  schedule.stages[3].compute.insert(schedule.stages[3].compute.begin(), 0);
  schedule.stages[4].page_out = {0};
  schedule.stages[6].page_in = {0};
  const std::vector<Entry> entries = entries_of(schedule);
  EXPECT_EQ(entries, (std::vector<Entry>{{.node = 0, .at = computation(3, 0)},
                                         {.node = 0, .at = stage_start(7)}}));
}

}  // namespace
}  // namespace poet
