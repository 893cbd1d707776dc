#pragma once

#include <string>
#include <utility>

#include "poet/sweep.hpp"
#include "support/unit_node.hpp"

namespace poet::test {

/// a(100) -> b(10) -> c(100) -> d(10) -> e(10), which reads a as well. Each costs a joule and a
/// second, each transfer two joules. Working set 120 bytes (e), baseline 5 J, 5 s and 210 bytes.
inline Graph hill_graph() {
  return make_graph({unit_node("a", 100, {}, 2), unit_node("b", 10, {0}, 2),
                     unit_node("c", 100, {1}, 2), unit_node("d", 10, {2}, 2),
                     unit_node("e", 10, {0, 3}, 2)});
}

/// Computes a again for e: 6 J, 6 s, 120 bytes.
inline Schedule hill_recomputed() {
  return {.stages = {{.compute = {0}},
                     {.resident = {0}, .compute = {1}},
                     {.resident = {1}, .compute = {2}},
                     {.resident = {2}, .compute = {3}},
                     {.resident = {3}, .compute = {0, 4}}}};
}

/// Pages a out and in again: 9 J, 5 s, 120 bytes.
inline Schedule hill_paged() {
  return {.stages = {{.compute = {0}},
                     {.resident = {0}, .compute = {1}, .page_out = {0}},
                     {.resident = {1}, .compute = {2}},
                     {.resident = {2}, .compute = {3}, .page_in = {0}},
                     {.resident = {0, 3}, .compute = {4}}}};
}

/// A graph as something to sweep.
inline Subject subject_of(Graph graph, const std::string& name = "hill") {
  Subject subject{.model = {.name = name, .source = "built-in", .sha256 = "ab"},
                  .graph = std::move(graph)};
  subject.model.backward = Backward::explicit_nodes;
  subject.base = baseline(subject.graph);
  return subject;
}

/// A point of the first subject with its budgets in absolute terms.
inline SweepPoint point_of(Bytes ram, Seconds runtime = 10, TechniqueSet set = kBothTechniques) {
  return {
      .runtime = RuntimeBudget(std::in_place_type<Seconds>, runtime),
      .limits = {.ram_budget_bytes = ram, .runtime_budget_seconds = runtime, .techniques = set}};
}

/// A schedule of that energy, proven if the bound meets it.
inline SweepOutcome solved(const Schedule& schedule, Joules energy, Joules bound) {
  return {.result = {.status = bound < energy ? Status::feasible : Status::optimal,
                     .schedule = schedule,
                     .energy_joules = energy,
                     .lower_bound_joules = bound}};
}

inline SweepOutcome infeasible() {
  return {.result = {.status = Status::infeasible, .reason = "no room"}};
}

}  // namespace poet::test
