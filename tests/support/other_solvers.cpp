#include "support/other_solvers.hpp"
#include "support/contents_of.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/run_program.hpp"

namespace poet::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The number behind a label; NaN if the label is missing.
double number_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  return at == std::string::npos ? NAN : std::strtod(text.c_str() + at + label.size(), nullptr);
}

/// Joules in one unit of the file's objective, from the "... in units of 1e-7 J ..." of its first
/// line.
double unit_of(const std::string& model) {
  const std::string text = contents_of(model);
  const double unit = number_after(text.substr(0, text.find('\n')), "in units of ");
  EXPECT_TRUE(unit > 0) << "no unit in the first line of " << model;
  return unit;
}

}  // namespace

bool has_glpsol() {
  return std::string(POET_GLPSOL) != "";
}

bool has_highs() {
  return std::filesystem::exists(POET_HIGHS) &&
         run_program({.program = "node", .arguments = {"--version"}}).status == 0;
}

OtherAnswer ask_glpsol(const std::string& model, Seconds time_limit) {
  const std::string report = model + ".report";
  const Finished run =
      run_program({.program = POET_GLPSOL,
                   .arguments = {"--freemps", model, "--tmlim",
                                 fmt::format("{:.0f}", std::ceil(time_limit)), "-o", report}});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  OtherAnswer answer;
  const std::string text = contents_of(report);
  const bool empty = contains(text, "INTEGER EMPTY") ||
                     contains(run.out, "NO PRIMAL FEASIBLE SOLUTION") ||
                     contains(run.out, "NO INTEGER FEASIBLE SOLUTION");
  if (empty) {
    answer.status = OtherAnswer::Status::infeasible;
  } else if (contains(text, "INTEGER OPTIMAL") || contains(text, "INTEGER NON-OPTIMAL")) {
    answer.energy_joules = number_after(text, "energy = ") * unit_of(model);
    const bool proven = contains(text, "INTEGER OPTIMAL");
    answer.status = proven ? OtherAnswer::Status::optimal : OtherAnswer::Status::stopped;
  }
  return answer;
}

std::vector<OtherAnswer> ask_highs(const std::vector<std::string>& models, Seconds time_limit) {
  std::vector<std::string> arguments{POET_SOURCE_DIR "/tests/support/highs.cjs", POET_HIGHS,
                                     fmt::format("{}", time_limit)};
  arguments.insert(arguments.end(), models.begin(), models.end());
  const Finished run =
      run_program({.program = "node",
                   .arguments = arguments,
                   .kill_after_seconds = 60 + 2 * time_limit * static_cast<double>(models.size())});
  EXPECT_EQ(run.status, 0) << run.err;
  std::vector<OtherAnswer> answers;
  std::istringstream lines(run.out);
  // One line for each model: the objective, a tab, the status in HiGHS's words. What it reports
  // when it is cut short need not be a solution.
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    const std::string status = line.substr(tab + 1);
    OtherAnswer answer;
    if (status == "Optimal") {
      answer.status = OtherAnswer::Status::optimal;
      answer.energy_joules = std::stod(line) * unit_of(models.at(answers.size()));
    } else if (status == "Infeasible") {
      answer.status = OtherAnswer::Status::infeasible;
    }
    answers.push_back(answer);
  }
  EXPECT_EQ(answers.size(), models.size()) << run.out << run.err;
  answers.resize(models.size());
  return answers;
}

}  // namespace poet::test
