#pragma once

#include "solver/formulation/formulation.hpp"

namespace poet {

/// What the simulator lets the runtime exceed the budget by, relative.
inline constexpr double kRuntimeSlack = 1e-9;

/// Whether tensor i != k is in RAM while stage t computes k.
Quantity held_during(const Formulation& model, int t, int k, int i);

// One function per constraint family of docs/formulation.md. Each adds its rows to model.milp.

void add_availability(Formulation& model, const Graph& graph);
void add_holding_chains(Formulation& model);
void add_hand_over(Formulation& model);
void add_page_in_when_absent(Formulation& model);
void add_storage(Formulation& model);
void add_held_while_paged_out(Formulation& model);
void add_no_idle_recomputation(Formulation& model);
void add_late_page_in(Formulation& model, const Graph& graph);
void add_memory(Formulation& model, const Graph& graph, Bytes ram_budget,
                const Techniques& techniques);
void add_page_out_link(const Formulation& model, Milp& milp);
void add_runtime(Formulation& model, const Graph& graph, Seconds runtime_budget);

}  // namespace poet
