#include "measure/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace poet {

std::vector<OpResidual> residuals(const Graph& predicted, const StepTimes& times) {
  std::map<std::string, OpResidual> by_op;
  std::map<std::string, std::vector<double>> errors;
  for (std::size_t i = 0; i < predicted.nodes.size(); ++i) {
    const Node& node = predicted.nodes[i];
    const Seconds measured = times.compute[i];
    OpResidual& op = by_op[node.op];
    op.op = node.op;
    ++op.node_count;
    op.measured_seconds += measured;
    op.predicted_seconds += node.runtime_seconds;
    if (!(measured > 0)) continue;
    const double error = std::fabs(node.runtime_seconds / measured - 1);
    errors[node.op].push_back(error);
    if (!op.worst_node.empty() && error <= op.largest_error) continue;
    op.largest_error = error;
    op.worst_node = node.name;
  }
  std::vector<OpResidual> all;
  for (auto& [name, op] : by_op) {
    if (!errors[name].empty()) op.median_error = median(errors[name]);
    all.push_back(std::move(op));
  }
  std::stable_sort(all.begin(), all.end(), [](const OpResidual& a, const OpResidual& b) {
    return a.measured_seconds > b.measured_seconds;
  });
  return all;
}

OpResidual total(const std::vector<OpResidual>& ops) {
  OpResidual sum{.op = "all", .worst_node = {}};
  for (const OpResidual& op : ops) {
    sum.node_count += op.node_count;
    sum.measured_seconds += op.measured_seconds;
    sum.predicted_seconds += op.predicted_seconds;
    if (!sum.worst_node.empty() && op.largest_error <= sum.largest_error) continue;
    sum.largest_error = op.largest_error;
    sum.worst_node = op.worst_node;
  }
  return sum;
}

}  // namespace poet
