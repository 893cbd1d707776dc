#pragma once

#include <span>
#include <vector>

#include "poet/schedule.hpp"
#include "solver/formulation/variables.hpp"

namespace poet {

// The way from points of the model (a value for each column) to schedules, and back.

/// The schedule that a 0/1 solution of a full model describes (values are rounded), tidied. For a
/// collapsed model it fills in the forward stages: what the backward pass finds resident is kept
/// from birth, what it pages in is written in the stage after birth, and the rest is kept until its
/// last forward use. These stages may overrun the RAM budget. Nothing is promised: replay the
/// result.
Schedule schedule_of_point(const Formulation& model, const Graph& graph,
                           std::span<const double> values);

/// The schedule that a 0/1 point of a full model states, less what is held or paged in for no use:
/// the model's rows allow that and do not count its RAM, as it can be left out. Nothing is added,
/// so the replay shows what is wrong with a false point.
Schedule literal_schedule(const Formulation& model, const Graph& graph,
                          std::span<const double> values);

/// The same residency and transfers with the fewest computations, and without tensors that are held
/// for no use and transfers without an effect. An idle recomputation stays if it frees what its
/// stage writes out (rule 5). Page-outs are made as early as they can be, unless transfers overlap
/// with computations. Never costs more.
Schedule tidy(const Graph& graph, PagingTime paging_time, Schedule schedule);

/// The values of the model's columns that describe a schedule. A collapsed model ignores the
/// forward stages. If the schedule does something that the model leaves out (outside its windows,
/// or dominated), the point violates rows: it guides a search and is never a solution.
std::vector<double> point_of_schedule(const Formulation& model, const Schedule& schedule);

}  // namespace poet
