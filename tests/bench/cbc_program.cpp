#include "cbc_program.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "poet/error.hpp"
#include "solver/milp/milp.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

namespace poet::bench {
namespace {

/// Its presolve does not watch the clock; ours gets as long (measure.cpp).
constexpr Seconds kCbcGrace = 60;
constexpr int kCannotRun = 127;

/// The number after the last line that starts with `label`.
std::optional<double> number_after(const std::string& text, std::string_view label) {
  const std::size_t at = text.rfind(fmt::format("\n{}", label));
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(text.c_str() + at + 1 + label.size(), nullptr);
}

/// The first line of a solution file, up to the objective.
std::string status_of(const std::string& heading) {
  constexpr std::string_view kOptimal = "Optimal";
  if (heading.starts_with(kOptimal)) return "optimal";
  if (heading.starts_with("Stopped on time")) return "time limit";
  if (heading.starts_with("Infeasible") || heading.starts_with("Integer infeasible")) {
    return "infeasible";
  }
  return heading.substr(0, heading.find(" - "));
}

/// Nonzero columns by name, a line each: index, name, value, reduced cost. A line that starts with
/// `**` breaks a bound or a row. Where it has no integer solution, it writes the relaxation's.
std::vector<double> read_values(std::istream& file, const Milp& milp) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t c = 0; c < milp.columns.size(); ++c) index[milp.columns[c].name] = c;
  std::vector<double> values(milp.columns.size());
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line.starts_with("**") ? line.substr(2) : line);
    std::size_t number = 0;
    std::string name;
    double value = 0;
    if (!(words >> number >> name >> value)) continue;
    const auto at = index.find(name);
    if (at != index.end()) values[at->second] = value;
  }
  return values;
}

bool is_integral(const Milp& milp, const std::vector<double>& values) {
  constexpr double kTolerance = 1e-5;
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (!milp.columns[c].integer) continue;
    if (std::abs(values[c] - std::round(values[c])) > kTolerance) return false;
  }
  return true;
}

void read_solution(const std::string& path, const Milp& milp, CbcAnswer& answer) {
  std::ifstream file(path);
  std::string heading;
  if (!std::getline(file, heading)) {
    answer.status = "no answer";
    return;
  }
  answer.status = status_of(heading);
  if (answer.status == "infeasible" || heading.find("no integer") != std::string::npos) return;
  std::vector<double> values = read_values(file, milp);
  if (is_integral(milp, values)) answer.values = std::move(values);
}

void read_bound(const std::string& log, CbcAnswer& answer) {
  std::optional<double> bound = number_after(log, "Lower bound:");
  if (!bound && answer.status == "optimal") bound = number_after(log, "Objective value:");
  if (!bound) bound = number_after(log, "Continuous objective value is");
  answer.has_bound = bound.has_value();
  answer.bound = bound.value_or(0);
}

}  // namespace

bool has_cbc_program() {
  const test::Finished run =
      test::run_program({.program = "cbc", .arguments = {"-quit"}, .kill_after_seconds = 10});
  return run.status != kCannotRun;
}

CbcAnswer run_cbc_program(const Milp& milp, double gap, Seconds time_limit) {
  const test::TemporaryFolder folder;
  const std::string model = folder.file("poet.mps");
  const std::string solution = folder.file("solution");
  write_file(model, to_mps(milp, "POET's formulation"));
  constexpr Seconds kForever = 1e9;
  const Seconds limit = time_limit > 0 ? time_limit : kForever;
  const test::Finished run =
      test::run_program({.program = "stdbuf",  // or its log would be lost where it is killed
                         .arguments = {"-oL", "cbc", model, "-timeMode", "elapsed", "-seconds",
                                       fmt::format("{}", limit), "-ratioGap",
                                       fmt::format("{}", gap), "-solve", "-solution", solution},
                         .kill_after_seconds = limit + kCbcGrace});
  CbcAnswer answer{.wall_seconds = run.wall_seconds};
  read_solution(solution, milp, answer);
  if (run.killed) answer.status = "killed";
  if (run.signal != 0 && !run.killed) answer.status = fmt::format("signal {}", run.signal);
  read_bound(run.out, answer);
  return answer;
}

}  // namespace poet::bench
