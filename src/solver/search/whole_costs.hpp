#pragma once

#include <cstdint>
#include <vector>

#include "poet/problem.hpp"

namespace poet {

/// Energies and times as whole numbers of a small unit, so that sums are exact: what is added and
/// taken off again leaves nothing behind, in any order and on any machine.
using Units = std::int64_t;

/// What the search asks about a node again and again.
struct NodeCosts {
  Bytes bytes = 0;
  Bytes workspace = 0;  ///< while it is computed
  Bytes stored = 0;     ///< of a copy in secondary storage
  Units energy = 0;
  Units page_in_energy = 0;
  Units page_out_energy = 0;
  Units time = 0;
  Units page_in_time = 0;
  Units page_out_time = 0;
  int over = -1;       ///< the input whose RAM the output may take over, or -1
  int last_stage = 0;  ///< that may compute it again; its own if none may
  bool page = false;   ///< whether it may be paged
};

/// A problem in whole numbers. The techniques that its limits forbid are forbidden for each node.
struct WholeCosts {
  explicit WholeCosts(const Problem& task);

  int size() const { return static_cast<int>(nodes.size()); }
  const Graph& graph() const { return problem->graph; }
  Joules joules(Units energy) const { return static_cast<double>(energy) * joules_per_unit; }

  const Problem* problem;
  double joules_per_unit = 1;
  double seconds_per_unit = 1;
  std::vector<NodeCosts> nodes;
  Bytes ram_budget = 0;
  Units extra_time_budget = 0;  ///< for what exceeds one computation of every node
  Bytes write_budget = 0;       ///< for copies in secondary storage
  PagingTime paging_time = PagingTime::free;
};

}  // namespace poet
