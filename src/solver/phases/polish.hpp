#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "poet/schedule.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/work.hpp"

namespace poet {

/// Looks for a better schedule in the neighbourhood that the incumbent and the relaxation share:
/// the columns on which the two agree are fixed, and CBC solves the rest, a few hundred columns
/// (relaxation-induced neighbourhood search, Danna, Rothberg and Le Pape 2005). `relaxed` are the
/// relaxation's values of the scaled model's columns; the cutoff is in its units. Returns nothing
/// if there is nothing below the cutoff. The schedule of a collapsed model can overrun RAM: replay
/// it. What is done counts in `work`; after `most_work` of it, in moves, CBC begins no other node.
///
/// Most of the best known schedules come from here.
///
/// The fixed columns leave the model first (reduce.hpp), so that CBC need not load the whole of it.
std::optional<Schedule> polish(const Formulation& model, const Graph& graph,
                               const ScaledMilp& scaled, const Schedule& incumbent,
                               std::span<const double> relaxed, const MipOptions& options,
                               std::int64_t most_work, Work& work,
                               const std::function<bool(const MipProgress&)>& progress);

}  // namespace poet
