// An exported model, solved by another solver, has the optimum that we find, and the solution comes
// back as a schedule of that energy.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "formats/read_solution.hpp"
#include "golden/instance.hpp"
#include "poet/solve.hpp"
#include "solver/import_solution.hpp"
#include "support/contents_of.hpp"
#include "support/other_solvers.hpp"
#include "support/temporary_folder.hpp"

namespace poet {

struct Exported {
  std::string name;
  std::string model;  ///< empty: the chain of this file
  std::string platform;
  Bytes ram_budget_bytes = 0;
  std::string ending;
};

void PrintTo(const Exported& exported, std::ostream* out) {
  *out << exported.name << exported.ending;
}

namespace {

/// Four forward nodes and their gradients; in 45 bytes the cheapest schedule pages.
Graph chain() {
  std::vector<Node> nodes;
  const auto add = [&](const char* name, Bytes bytes, std::vector<int> inputs, bool backward) {
    const double size = static_cast<double>(bytes) / 10;
    nodes.push_back({.name = name,
                     .op = "measured",
                     .bytes = bytes,
                     .runtime_seconds = size,
                     .energy_joules = size,
                     .page_in_energy_joules = 0.2 * size,
                     .page_out_energy_joules = 0.3 * size,
                     .inputs = std::move(inputs),
                     .backward = backward});
  };
  add("a", 10, {}, false);
  add("b", 20, {0}, false);
  add("c", 20, {1}, false);
  add("d", 10, {2}, false);
  add("grad d", 10, {2, 3}, true);
  add("grad c", 10, {1, 4}, true);
  add("grad b", 10, {0, 5}, true);
  return make_graph(std::move(nodes));
}

Problem problem_of(const Exported& exported) {
  if (!exported.model.empty()) {
    return instance(exported.model, exported.platform, exported.ram_budget_bytes, 2);
  }
  Problem problem{.graph = chain()};
  problem.limits = {.ram_budget_bytes = exported.ram_budget_bytes,
                    .runtime_budget_seconds = 2 * baseline(problem.graph).runtime_seconds};
  return problem;
}

class ExportedModel : public testing::TestWithParam<Exported> {};

TEST_P(ExportedModel, HasTheSameOptimumInAnotherSolver) {
  if (!test::has_glpsol()) GTEST_SKIP() << "no glpsol (Debian: glpk-utils)";
  const Problem problem = problem_of(GetParam());
  const SolveResult ours = solve(problem, {.settings = {.gap = 0, .time_limit_seconds = 20}});
  ASSERT_EQ(ours.status, Status::optimal);
  ASSERT_GT(ours.energy_joules, baseline(problem.graph).energy_joules * (1 + 1e-5))
      << "the baseline fits: nothing is tested";
  const test::TemporaryFolder folder;
  const std::string path = folder.file("model" + GetParam().ending);
  export_milp(problem, path);
  const test::OtherAnswer theirs = test::ask_glpsol(path, 60);
  ASSERT_EQ(theirs.status, test::OtherAnswer::Status::optimal) << theirs.log;
  EXPECT_NEAR(theirs.energy_joules, ours.energy_joules, 1e-6 * ours.energy_joules);

  const std::string solution = path + ".solution";
  const SolveResult imported =
      import_solution(problem, exported_model(problem),
                      GetParam().ending == ".mps" ? MilpFormat::mps : MilpFormat::lp,
                      parse_solution(test::contents_of(solution), solution), 0, solution);
  EXPECT_NEAR(imported.energy_joules, ours.energy_joules, 1e-6 * ours.energy_joules);
}

INSTANTIATE_TEST_SUITE_P(Glpsol, ExportedModel,
                         testing::Values(Exported{"Chain", "", "", 45, ".mps"},
                                         Exported{"Chain", "", "", 45, ".lp"},
                                         Exported{"LinearOnM0", "linear", "m0", 3500, ".mps"},
                                         Exported{"LinearOnM0", "linear", "m0", 3500, ".lp"},
                                         Exported{"TightOnM0", "linear", "m0", 3256, ".mps"},
                                         Exported{"LinearOnM4", "linear", "m4", 3500, ".mps"},
                                         Exported{"LinearOnM4", "linear", "m4", 3500, ".lp"}),
                         [](const auto& test) {
                           return test.param.name + test.param.ending.substr(1);
                         });

}  // namespace
}  // namespace poet
