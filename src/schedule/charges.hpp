#pragma once

#include "poet/graph.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "schedule/findings.hpp"
#include "schedule/ram.hpp"

namespace poet {

/// Adds up what a schedule costs: energy, time, and the traffic with secondary storage.
class Charges {
 public:
  /// Adds to the figures of `sums`, which must outlive it.
  Charges(const Graph& graph, PagingTime paging_time, Replay& sums);

  /// Adds a computation, a recomputation unless it is the stage's own node.
  void compute(int node, bool again);
  void page_out(int node);
  void page_in(int node);

  /// Ends a stage. The time of a step is the sum over its stages.
  void end_stage();

  /// Completes the figures that are sums of others.
  void finish();

 private:
  const Graph& graph_;
  PagingTime paging_time_;
  Replay& sums_;
  NodeSet copies_;          ///< what has been written to secondary storage
  Seconds computing_ = 0;   ///< in the stage that runs
  Seconds paging_ = 0;      ///< likewise
  Seconds overlapped_ = 0;  ///< of the stages that have ended, transfers beside computations
};

/// Checks rules 6 and 9, on the sums of a replay.
void check_budgets(Findings& findings, const Replay& replay, const Limits& limits);

}  // namespace poet
