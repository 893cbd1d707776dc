#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "solver/search/timeline.hpp"

namespace poet {

/// Something that a plan does beyond the baseline, as in Entry, but by the node whose stage it is
/// in, and by numbers that nodes have in all graphs of a search: so a plan survives a change of the
/// order, or of the nodes.
struct PlannedEntry {
  enum class Kind { computation, page_in, late_page_out };
  int node = 0;
  int stage_of = 0;
  Kind kind = Kind::computation;
};

/// A plan for some graph, by numbers of nodes.
struct NodePlan {
  std::vector<PlannedEntry> entries;
  /// What is over the budgets, in units of energy; 0 if the plan is a schedule.
  double trouble = 0;
  Joules extra_joules = 0;  ///< above the baseline's

  bool fits() const { return trouble == 0; }
};

/// How the nodes of one graph are numbered.
struct NodeNumbers {
  std::vector<int> number;  ///< by node
  std::vector<int> place;   ///< by number: the node, or the one that stands for it in this graph
};

/// The plan of another graph in this one, repaired and improved by so many moves: from a plan that
/// fits to one of less energy, or else to one of less violation. What comes of it depends on the
/// arguments alone, unless `stop` ends the search early.
NodePlan judge_plan(const Problem& problem, const NodeNumbers& numbers, const NodePlan& from,
                    std::int64_t moves, std::uint64_t seed, const std::function<bool()>& stop);

/// A schedule as a plan, and a plan that fits as a schedule.
NodePlan plan_of(const Problem& problem, const NodeNumbers& numbers, const Schedule& schedule);
Schedule schedule_of(const Problem& problem, const NodeNumbers& numbers, const NodePlan& plan);

}  // namespace poet
