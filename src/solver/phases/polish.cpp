#include "solver/phases/polish.hpp"

#include <algorithm>
#include <cmath>

#include "solver/formulation/rows_on_demand.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "solver/milp/reduce.hpp"

namespace poet {
namespace {

constexpr double kAgreement = 0.01;  // of a column of the incumbent and of the relaxation

}  // namespace

std::optional<Schedule> polish(const Formulation& model, const Graph& graph,
                               const ScaledMilp& scaled, const Schedule& incumbent,
                               std::span<const double> relaxed, const MipOptions& options,
                               std::int64_t most_work, Work& work,
                               const std::function<bool(const MipProgress&)>& progress) {
  Milp neighbourhood = scaled.milp;
  const std::vector<double> point = point_of_schedule(model, incumbent);
  for (std::size_t c = 0; c < point.size(); ++c) {
    MilpColumn& column = neighbourhood.columns[c];
    const bool agree = std::abs(relaxed[c] - point[c]) < kAgreement;
    if (agree) column.lower = column.upper = point[c];
  }
  add_rows_on_demand(model, graph, neighbourhood);
  const ReducedMilp reduced = without_fixed_columns(neighbourhood);
  if (reduced.infeasible) return std::nullopt;  // the incumbent rounds otherwise
  const std::size_t open = reduced.columns.size();
  Work done;
  done.add_search(reduced.milp.nonzeros());
  MipOptions limited = options;
  limited.cutoff -= reduced.milp.objective_offset - neighbourhood.objective_offset;
  limited.iterations = std::min(options.iterations, done.iterations_until(most_work, open));
  const MipResult found = solve_mip(reduced.milp, limited, progress);
  done.add_iterations(found.iterations, open);
  if (found.status == MipResult::Status::failed) done.add_failed(most_work);
  work.add_moves(done.moves());
  if (!found.values) return std::nullopt;
  return schedule_of_point(model, graph, expand(neighbourhood, reduced, *found.values));
}

}  // namespace poet
