#pragma once

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"

namespace poet::test {

/// a -> b -> c -> d, and a -> d. Sizes are powers of ten and costs powers of two, so that every
/// sum shows which terms it has.
inline Graph tiny_graph() {
  return make_graph({
      {.name = "a",
       .op = "conv2d",
       .bytes = 100,
       .runtime_seconds = 1,
       .energy_joules = 1,
       .page_in_energy_joules = 0.25,
       .page_out_energy_joules = 0.5,
       .page_in_seconds = 3,
       .page_out_seconds = 5},
      {.name = "b",
       .op = "relu",
       .bytes = 10,
       .runtime_seconds = 2,
       .energy_joules = 2,
       .page_in_energy_joules = 0.25,
       .page_out_energy_joules = 0.5,
       .inputs = {0}},
      {.name = "c",
       .op = "linear",
       .bytes = 1,
       .runtime_seconds = 4,
       .energy_joules = 4,
       .page_in_energy_joules = 0.25,
       .page_out_energy_joules = 0.5,
       .inputs = {1}},
      {.name = "d",
       .op = "gradient",
       .bytes = 1000,
       .runtime_seconds = 8,
       .energy_joules = 8,
       .page_in_energy_joules = 0.25,
       .page_out_energy_joules = 0.5,
       .inputs = {0, 2},
       .backward = true},
  });
}

/// Every node once, every output kept until its last use. Peaks 100, 110, 111, 1101.
inline Schedule keep_all() {
  return {.stages = {{.compute = {0}},
                     {.resident = {0}, .compute = {1}},
                     {.resident = {0, 1}, .compute = {2}},
                     {.resident = {0, 2}, .compute = {3}}}};
}

/// Drops a after b and computes it again for d. Peaks 100, 110, 11, 1101.
inline Schedule recompute_a() {
  return {.stages = {{.compute = {0}},
                     {.resident = {0}, .compute = {1}},
                     {.resident = {1}, .compute = {2}},
                     {.resident = {2}, .compute = {0, 3}}}};
}

/// Pages a out in stage 1 and in again for d. Peaks 100, 110, 11, 1101.
inline Schedule page_a() {
  return {.stages = {{.compute = {0}},
                     {.resident = {0}, .compute = {1}, .page_out = {0}},
                     {.resident = {1}, .compute = {2}, .page_in = {0}},
                     {.resident = {0, 2}, .compute = {3}}}};
}

/// Budgets that every schedule above meets.
inline Limits ample_limits() {
  return {.ram_budget_bytes = 1101, .runtime_budget_seconds = 16};
}

}  // namespace poet::test
