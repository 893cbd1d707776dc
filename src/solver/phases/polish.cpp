#include "solver/phases/polish.hpp"

#include <algorithm>
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
                               std::int64_t most_work, Work& work,
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
  Work done;
  done.add_search(neighbourhood.nonzeros());
  MipOptions limited = options;
  limited.iterations = std::min(options.iterations, done.iterations_until(most_work, open));
  const MipResult found = solve_mip(neighbourhood, limited, progress);
  done.add_iterations(found.iterations, open);
  if (found.status == MipResult::Status::failed) done.add_failed(most_work);
  work.add_moves(done.moves());
  if (!found.values) return std::nullopt;
  return schedule_of_point(model, graph, *found.values);
}

}  // namespace poet
