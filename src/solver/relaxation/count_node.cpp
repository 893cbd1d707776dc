#include "solver/relaxation/count_node.hpp"

#include <algorithm>
#include <utility>

#include "base/process/child.hpp"
#include "solver/patience.hpp"
#include "solver/relaxation/fields.hpp"

namespace poet {
namespace {

/// Branching on a count must be able to gain this share of the ceiling. Less is CBC's work.
constexpr double kMinGain = 1e-3;
/// Growth of the linear program over its rows at the start beyond which slack rows leave.
constexpr double kRowGrowth = 2;

}  // namespace

CountNodes::CountNodes(const Formulation& model, const Graph& graph, const Milp& milp,
                       const std::vector<Count>& counts, const SolverFeatures& features)
    : graph_(graph),
      milp_(milp),
      nonzeros_(milp.nonzeros()),
      counts_(counts),
      relaxation_(model, graph, milp, features) {}

CountNode CountNodes::solve_root(const std::vector<int>& rows, std::vector<Cut> cuts,
                                 const NodeLimits& limits, const Countdown& time) {
  relaxation_.start(rows, std::move(cuts));
  start_rows_ = relaxation_.rows();
  CountNode root = solve({}, limits, time);
  if (!root.closed) root.relaxation = relaxation_.snapshot(relaxation_.cuts());
  return root;
}

CountNode CountNodes::solve_child(const CountNode& parent, const Subproblem& subproblem,
                                  const NodeLimits& limits, const Countdown& time) {
  const int known_cuts = relaxation_.cuts();
  relaxation_.restore(parent.relaxation,
                      [this](int count) { return range_row(counts_, {.count = count}); });
  for (const CountRange& range : merged(subproblem.ranges)) {
    relaxation_.set_row(range.count, range_row(counts_, range));
  }
  CountNode child = solve(subproblem, limits, time);
  if (!child.closed) child.relaxation = relaxation_.snapshot(known_cuts);
  return child;
}

CountNode CountNodes::solve(const Subproblem& subproblem, const NodeLimits& limits,
                            const Countdown& time) {
  const double ceiling = limits.ceiling;
  const std::size_t columns = milp_.columns.size();
  Work work;
  CountNode node{.bound = subproblem.bound};
  std::vector<double> bounds;
  while (true) {
    const auto status = relaxation_.solve(ceiling, std::max(time.remaining(), 1e-3),
                                          work.iterations_until(limits.most_work, columns));
    work.add_iterations(relaxation_.iterations(), columns);
    work.add_round(nonzeros_);
    node.work = work.moves();
    if (status == LinearProgram::Status::infeasible) return {.closed = true, .work = work.moves()};
    if (status == LinearProgram::Status::stopped) break;
    node.bound = std::max(node.bound, relaxation_.bound());
    bounds.push_back(node.bound);
    if (kInTreeOfModel.is_over(bounds, ceiling - node.bound) || time.expired() ||
        work.moves() >= limits.most_work) {
      break;
    }
    if (relaxation_.rows() > kRowGrowth * start_rows_) relaxation_.remove_slack_rows();
    if (!relaxation_.add_violated_rows()) break;
  }
  const auto values = relaxation_.values();
  const auto splits = best_splits(counts_, values, {.gain = kMinGain * ceiling});
  if (!splits.empty()) node.split = splits.front();
  node.values.assign(values.begin(), values.end());
  return node;
}

void CountNodes::adopt(CountNode& node) {
  relaxation_.adopt(node.relaxation);
}

void CountNodes::check(const CountNode& node) const {
  if (node.work < 0) throw MalformedMessage("a node took less than no work");
  if (node.closed) return;
  const std::size_t columns = milp_.columns.size();
  const Relaxation::Snapshot& relaxation = node.relaxation;
  const std::size_t all_cuts = relaxation.known_cuts + relaxation.cuts.size();
  const auto possible = [&](const Relaxation::Origin& origin) {
    const auto is_source = [](int index, std::size_t size, int other, int another) {
      return is_index(index, size) && other == -1 && another == -1;
    };
    const auto& [row, cut, number] = origin;
    return is_source(row, relaxation_.known_rows(), cut, number) ||
           is_source(cut, all_cuts, row, number) || is_source(number, counts_.size(), row, cut);
  };
  const auto& cuts = relaxation.cuts;
  if (node.values.size() != columns || node.split.count < -1 ||
      node.split.count >= static_cast<int>(counts_.size()) || relaxation.known_cuts < 0 ||
      relaxation.known_cuts > relaxation_.cuts() ||
      relaxation.basis.size() != columns + relaxation.origins.size() ||
      !std::all_of(relaxation.origins.begin(), relaxation.origins.end(), possible) ||
      !std::all_of(cuts.begin(), cuts.end(),
                   [&](const Cut& cut) { return fits(cut, graph_.nodes.size()); })) {
    throw MalformedMessage("a node of the branching on counts does not fit the model");
  }
}

}  // namespace poet
