// An exported model, solved by another solver, has the optimum that we find.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string>

#include "golden/instance.hpp"
#include "poet/solve.hpp"
#include "support/run_program.hpp"
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

/// The optimum as glpsol reports it: ten significant digits.
double optimum_by_glpsol(const std::string& model, const std::string& report, bool mps) {
  const test::Finished run = test::run_program(
      {.program = POET_GLPSOL,
       .arguments = {mps ? "--freemps" : "--lp", model, "--tmlim", "60", "-o", report}});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  const std::string text = test::contents_of(report);
  EXPECT_NE(text.find("INTEGER OPTIMAL"), std::string::npos) << text.substr(0, 400);
  const std::string label = "energy = ";
  const std::size_t at = text.find(label);
  return at == std::string::npos ? NAN : std::strtod(text.c_str() + at + label.size(), nullptr);
}

/// Joules in one unit of the file's objective, from the "... in units of 1e-7 J ..." of its first
/// line.
double unit_of(const std::string& model) {
  const std::string text = test::contents_of(model);
  const std::string label = "in units of ";
  const std::size_t at = text.find(label);
  EXPECT_LT(at, text.find('\n')) << "no unit in the first line";
  return std::strtod(text.c_str() + at + label.size(), nullptr);
}

class ExportedModel : public testing::TestWithParam<Exported> {};

TEST_P(ExportedModel, HasTheSameOptimumInAnotherSolver) {
  if (std::string(POET_GLPSOL).empty()) GTEST_SKIP() << "no glpsol (Debian: glpk-utils)";
  const Problem problem = problem_of(GetParam());
  const SolveResult ours = solve(problem, {.gap = 0, .time_limit_seconds = 20});
  ASSERT_EQ(ours.status, Status::optimal);
  ASSERT_GT(ours.energy_joules, baseline(problem.graph).energy_joules * (1 + 1e-5))
      << "the baseline fits: nothing is tested";
  const test::TemporaryFolder folder;
  const std::string path = folder.file("model" + GetParam().ending);
  export_milp(problem, path);
  const double theirs =
      optimum_by_glpsol(path, folder.file("report"), GetParam().ending == ".mps") * unit_of(path);
  EXPECT_NEAR(theirs, ours.energy_joules, 1e-6 * ours.energy_joules);
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
