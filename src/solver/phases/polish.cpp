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
                               Work& work,
                               const std::function<bool(const MipProgress&)>& progress) {
  Milp neighbourhood = scaled.milp;
  const std::vector<double> point = point_of_schedule(model, incumbent);
  std::size_t open = 0;
  for (std::size_t c = 0; c < point.size(); ++c) {
    MilpColumn& column = neighbourhood.columns[c];
    const bool agree = std::abs(relaxed[c] - point[c]) < kAgreement;
    if (agree) column.lower = column.upper = point[c];
    open += agree ? 0 : 1;
  }
  add_rows_on_demand(model, graph, neighbourhood);
  const MipResult found = solve_mip(neighbourhood, options, progress);
  work.add_search(neighbourhood.nonzeros());
  work.add_iterations(found.iterations, open);
  if (!found.values) return std::nullopt;
  return schedule_of_point(model, graph, *found.values);
}

}  // namespace poet
