#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "poet/schedule.hpp"
#include "solver/formulation/formulation.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {

/// Looks for a better schedule in the neighbourhood that the incumbent and the relaxation share:
/// columns on which the two agree are fixed, and CBC solves the small rest (relaxation-induced
/// neighbourhood search, Danna, Rothberg and Le Pape 2005). `relaxed` are the relaxation's values
/// of the scaled model's columns; `cutoff` is in its units. The schedule found can overrun RAM
/// where the model is collapsed: replay it. Nothing where there is none below the cutoff.
std::optional<Schedule> polish(const Formulation& model, const Graph& graph,
                               const ScaledMilp& scaled, const Schedule& incumbent,
                               std::span<const double> relaxed, const MipOptions& options,
                               const std::function<bool(const MipProgress&)>& progress);

}  // namespace poet
