#pragma once

#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "report/model_report.hpp"

namespace poet {

/// One line per node: operation, shape, parameters, FLOPs, bytes, inputs; if asked for, its time
/// and energy as well.
std::string node_table(const std::vector<NodeFigures>& nodes, bool with_costs);

/// One line per node: time and energy of a computation, energy of paging; if asked for, its time as
/// well.
std::string power_table(const Graph& graph, bool with_paging_times);

/// What a model comes to: a line for each figure, and the table of its nodes.
std::string info_text(const ModelReport& report);

/// Which lists of what is built in are asked for.
struct Lists {
  bool models = false;
  bool platforms = false;
  bool ops = false;
  bool json = false;  ///< as JSON, not as tables

  bool any() const { return models || platforms || ops; }
};

/// The lists as one text.
std::string list_text(const Lists& wanted, bool compact);

}  // namespace poet
