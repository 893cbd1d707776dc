// POET's own formulation of a problem of the benchmark, for other solvers:
//   poet_milp NAME FILE.mps    writes it
//   poet_milp NAME             replays the schedule of a solution that it reads on stdin
// A line of a solution is a column and its value. Either prints a line of JSON.

#include <exception>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files/files.hpp"
#include "poet/simulate.hpp"
#include "poet_milp.hpp"
#include "problem_name.hpp"

namespace poet::bench {
namespace {

nlohmann::json write_milp(const PoetMilp& poet, const std::string& path) {
  write_file(path, to_mps(poet.milp, "POET's formulation"));
  return {{"rows", poet.milp.rows.size()},
          {"columns", poet.milp.columns.size()},
          {"units_per_joule", poet.units_per_joule}};
}

nlohmann::json replay_solution(const PoetMilp& poet, const Problem& problem, std::istream& lines) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t c = 0; c < poet.milp.columns.size(); ++c) index[poet.milp.columns[c].name] = c;
  std::vector<double> values(poet.milp.columns.size());
  std::string name;
  double value = 0;
  while (lines >> name >> value) values[index.at(name)] = value;
  const Schedule schedule = schedule_of(poet.columns, problem.graph, values);
  const Replay replay = simulate(problem.graph, schedule, problem.limits);
  return {{"energy_joules", replay.energy_joules},
          {"fault", replay.valid() ? "" : replay.violations.front().message}};
}

}  // namespace
}  // namespace poet::bench

int main(int argc, char** argv) {
  using namespace poet::bench;
  if (argc != 2 && argc != 3) {
    fmt::print(stderr, "usage: poet_milp NAME [FILE.mps]\n");
    return 2;
  }
  try {
    const poet::Problem problem = problem_of(argv[1]);
    const PoetMilp poet = make_poet_milp(problem);
    const nlohmann::json figures =
        argc == 3 ? write_milp(poet, argv[2]) : replay_solution(poet, problem, std::cin);
    fmt::print("{}\n", figures.dump());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_milp: {}\n", error.what());
    return 2;
  }
}
