#pragma once

#include "solver/formulation.hpp"

namespace poet {

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
