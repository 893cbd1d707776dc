#pragma once

#include <span>

#include "poet/schedule.hpp"
#include "solver/formulation/formulation.hpp"

namespace poet {

/// The schedule that a 0/1 solution of a full model describes (values of the model's columns,
/// rounded), tidied. For a collapsed model the forward stages are filled in: what the backward
/// pass finds resident is kept from birth, what it pages in is written in the stage after birth,
/// the rest is kept until its last forward use; they may overrun the RAM budget. Nothing is
/// promised: replay the result.
Schedule extract(const Formulation& model, const Graph& graph, std::span<const double> values);

/// The same residency, page-ins and page-outs with the fewest computations, and without what
/// serves nothing: tensors held for no use, transfers of no effect. Never costs more.
Schedule tidy(const Graph& graph, Schedule schedule);

}  // namespace poet
