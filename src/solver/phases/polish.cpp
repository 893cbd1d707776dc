#include "solver/phases/polish.hpp"

#include <cmath>

#include "solver/formulation/rows_on_demand.hpp"
#include "solver/formulation/schedule_of_point.hpp"

namespace poet {
namespace {

constexpr double kAgreement = 0.01;  // of a column of the incumbent and of the relaxation

}  // namespace

std::optional<Schedule> polish(const Formulation& model, const Graph& graph,
                               const ScaledMilp& scaled, const Schedule& incumbent,
                               std::span<const double> relaxed, const MipOptions& options,
                               const std::function<bool(const MipProgress&)>& progress) {
  Milp neighbourhood = scaled.milp;
  const std::vector<double> point = point_of_schedule(model, incumbent);
  for (std::size_t c = 0; c < point.size(); ++c) {
    MilpColumn& column = neighbourhood.columns[c];
    if (std::abs(relaxed[c] - point[c]) < kAgreement) column.lower = column.upper = point[c];
  }
  add_rows_on_demand(model, graph, neighbourhood);
  const MipResult found = solve_mip(neighbourhood, options, progress);
  if (!found.values) return std::nullopt;
  return schedule_of_point(model, graph, *found.values);
}

}  // namespace poet
