// A project of somebody else's: three nodes, solved through the installed library.
#include <iostream>

#include "poet/schedule_file.hpp"
#include "poet/solve.hpp"
#include "poet/version.hpp"

int main() {
  const auto node = [](const char* name, poet::Bytes bytes, double cost, std::vector<int> inputs) {
    poet::Node result;
    result.name = name;
    result.bytes = bytes;
    result.runtime_seconds = 1;
    result.energy_joules = cost;
    result.inputs = std::move(inputs);
    return result;
  };
  poet::Problem problem;
  problem.graph =
      poet::make_graph({node("a", 10, 1, {}), node("b", 20, 2, {0}), node("c", 30, 3, {0, 1})});
  problem.limits.ram_budget_bytes = 60;
  problem.limits.runtime_budget_seconds = 3;
  const poet::SolveResult result = poet::solve(problem);
  if (!result.schedule) return 1;
  const poet::Replay replay = poet::simulate(problem.graph, *result.schedule, problem.limits);
  if (!replay.valid()) return 1;
  std::cout << poet::status_name(result.status) << ' ' << replay.energy_joules << " J in "
            << replay.peak_ram_bytes << " bytes\n";
}
