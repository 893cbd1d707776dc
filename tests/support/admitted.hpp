#pragma once

// Schedules as models have them, and whether rows admit them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "solver/milp/milp.hpp"

namespace poet::test {

inline constexpr double kRounding = 1e-9;

inline bool has(const std::vector<int>& nodes, int i) {
  return std::find(nodes.begin(), nodes.end(), i) != nodes.end();
}

inline bool used_in(const Graph& graph, const Stage& stage, int i) {
  return std::any_of(graph.users[i].begin(), graph.users[i].end(),
                     [&](int j) { return has(stage.compute, j); });
}

/// The model pages in just before a use: moves every page-in as far back as that.
inline void delay_page_ins(const Graph& graph, Schedule& schedule) {
  for (int t = 0; t + 2 < graph.size(); ++t) {
    Stage& stage = schedule.stages[t];
    Stage& next = schedule.stages[t + 1];
    for (const int i : std::vector<int>(stage.page_in)) {
      if (used_in(graph, next, i) || has(next.page_out, i)) continue;
      std::erase(stage.page_in, i);
      std::erase(next.resident, i);
      if (has(schedule.stages[t + 2].resident, i)) next.page_in.push_back(i);
    }
  }
}

/// Without what the model leaves out because it never helps.
inline Schedule normal(const Graph& graph, const Schedule& schedule, PagingTime paging_time) {
  Schedule result = tidy(graph, paging_time, schedule);
  delay_page_ins(graph, result);
  return tidy(graph, paging_time, result);
}

/// A schedule with limits that it just keeps.
struct Drawn {
  Problem problem;
  Schedule schedule;
  Joules energy = 0;

  Drawn(const Graph& graph, const Schedule& drawn, PagingTime paging_time = PagingTime::free) {
    problem.graph = graph;
    schedule = normal(graph, drawn, paging_time);
    problem.limits.paging_time = paging_time;
    const Replay replay = simulate(graph, schedule, problem.limits);
    problem.limits.ram_budget_bytes = replay.peak_ram_bytes;
    problem.limits.runtime_budget_seconds = replay.runtime_seconds;
    problem.limits.storage.storage_budget_bytes = replay.storage_bytes;
    problem.limits.storage.page_out_budget_bytes = replay.written_bytes;
    EXPECT_TRUE(simulate(graph, schedule, problem.limits).valid());
    energy = replay.energy_joules;
  }

  Joules extra() const { return energy - baseline(problem.graph).energy_joules; }
  int page_ins() const {
    std::size_t sum = 0;
    for (const Stage& stage : schedule.stages) sum += stage.page_in.size();
    return static_cast<int>(sum);
  }
};

inline double activity(const MilpRow& row, const std::vector<double>& values) {
  double sum = 0;
  for (const MilpTerm& term : row.terms) sum += term.coefficient * values[term.column];
  return sum;
}

inline void expect_row_holds(const MilpRow& row, const std::vector<double>& values) {
  const double sum = activity(row, values);
  EXPECT_GE(sum, row.lower - kRounding * (1 + std::abs(row.lower))) << row.name;
  EXPECT_LE(sum, row.upper + kRounding * (1 + std::abs(row.upper))) << row.name;
}

inline double objective(const Milp& milp, const std::vector<double>& values) {
  double sum = milp.objective_offset;
  for (std::size_t c = 0; c < values.size(); ++c) sum += milp.columns[c].cost * values[c];
  return sum;
}

}  // namespace poet::test
