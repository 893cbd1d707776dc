// A project of somebody else's: three nodes, and questions about built-in models, answered through the
// installed library.
#include <iostream>
#include <string>

#include "poet/question.hpp"
#include "poet/simulate.hpp"
#include "poet/version.hpp"

namespace {

poet::Node node(const char* name, poet::Bytes bytes, double cost, std::vector<int> inputs) {
  poet::Node result;
  result.name = name;
  result.bytes = bytes;
  result.runtime_seconds = 1;
  result.energy_joules = cost;
  result.inputs = std::move(inputs);
  return result;
}

bool solve_graph() {
  poet::Problem problem;
  problem.graph =
      poet::make_graph({node("a", 10, 1, {}), node("b", 20, 2, {0}), node("c", 30, 3, {0, 1})});
  problem.limits.ram_budget_bytes = 60;
  problem.limits.runtime_budget_seconds = 3;
  const poet::SolveResult result = poet::solve(problem);
  if (!result.schedule) return false;
  const poet::Replay replay = poet::simulate(problem.graph, *result.schedule, problem.limits);
  if (!replay.valid()) return false;
  std::cout << poet::status_name(result.status) << ' ' << replay.energy_joules << " J in "
            << replay.peak_ram_bytes << " bytes\n";
  return true;
}

/// Asks and prints what came out, the RAM budget for tensors included.
bool ask(const std::string& what, const poet::Question& question) {
  const poet::Subject subject =
      poet::make_subject(poet::load_model("ds_cnn"), poet::load_platform("m4"), question);
  const poet::Answer answer = poet::answer(subject, question);
  std::cout << what << ": " << poet::status_name(answer.result.status) << " within "
            << answer.limits.ram_budget_bytes << " bytes\n";
  if (!answer.file) return !answer.result.reason.empty();
  return poet::verify_schedule_file(*answer.file).empty() &&
         answer.file->summary.peak_ram_bytes <= answer.limits.ram_budget_bytes;
}

}  // namespace

int main() {
  poet::Question question{.runtime = poet::parse_runtime_budget("2x")};
  question.settings.gap = 0.2;
  question.settings.effort = poet::Effort::fast;
  const bool smallest = ask("min", question);
  question.settings.objective = poet::Objective::ram;
  const bool least = ask("least RAM", question);
  question.settings.objective = poet::Objective::energy;
  question.ram = poet::parse_ram_budget("chip");
  const bool chip = ask("chip", question);
  question.ram = poet::Bytes{400000};
  question.count_parameters = true;
  const bool counted = ask("with parameters", question);
  question.ram = poet::Bytes{10};
  const bool none = ask("too little", question);
  return solve_graph() && smallest && least && chip && counted && none ? 0 : 1;
}
