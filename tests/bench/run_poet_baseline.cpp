#include <fmt/format.h>

#include "cbc_program.hpp"
#include "poet/error.hpp"
#include "poet_baseline.hpp"
#include "problem_name.hpp"
#include "runs.hpp"

namespace poet::bench {
namespace {

constexpr auto kBaselineLayout = "{:<34} {:<5} {:>8} {:>8} {:>11} {:>8} {:>11} {:>11} {:>11} {:>8}";

/// What is the same for both: rows, columns, status, time, and energies where there are any.
struct Side {
  const char* solver;
  int rows;
  int columns;
  std::string status;
  Seconds wall_seconds;
  std::string energy = "-";
  std::string extra = "-";
  std::string bound = "-";
  std::string gap = "-";
};

std::string row(const std::string& name, const Side& side) {
  return fmt::format(kBaselineLayout, name, side.solver, side.rows, side.columns, side.status,
                     fmt::format("{:.2f}", side.wall_seconds), side.energy, side.extra, side.bound,
                     side.gap);
}

std::string number(double value) {
  return fmt::format("{:.7g}", value);
}

Side poet_side(const PoetResult& poet, Joules baseline_joules) {
  Side side{"POET", poet.rows, poet.columns, poet.status, poet.wall_seconds};
  if (poet.has_bound) side.bound = number(poet.bound_joules);
  if (!poet.has_schedule) return side;
  side.energy = number(poet.energy_joules);
  side.extra = fmt::format("{:.6g}", poet.energy_joules - baseline_joules);
  if (poet.has_bound) {
    side.gap = fmt::format("{:.4f}", 100 * relative_gap(poet.energy_joules, poet.bound_joules));
  }
  return side;
}

Side our_side(const Measurement& m) {
  const Figures& f = m.figures;
  Side side{"ours", f.rows, f.columns, m.outcome(), f.wall_seconds};
  if (!f.has_schedule) return side;
  side.energy = number(f.energy_joules);
  side.extra = fmt::format("{:.6g}", f.extra_joules());
  side.bound = number(f.bound_joules);
  side.gap = fmt::format("{:.4f}", 100 * f.gap());
  return side;
}

/// Counts over all instances.
struct Score {
  int schedules = 0;
  int proven = 0;

  std::string text() const {
    return fmt::format("{} with a schedule, {} proven", schedules, proven);
  }
};

bool agrees_on_infeasible(const PoetResult& poet, const Measurement& ours) {
  return poet.status == "infeasible" && ours.ok() && ours.figures.status == Status::infeasible;
}

}  // namespace

int run_poet_baseline(const std::vector<std::string>& names, const Conditions& conditions) {
  if (!has_cbc_program()) {
    throw InputError("poet", "no program 'cbc'; expected one (Debian: coinor-cbc)");
  }
  say(fmt::format(kBaselineLayout, "problem", "", "rows", "columns", "status", "wall s", "energy J",
                  "extra J", "bound J", "gap %"));
  Score theirs;
  Score ours;
  int refuted_count = 0;
  bool fine = true;
  for (const std::string& name : names) {
    const Measurement m = measure(name, conditions);
    say(row(name, our_side(m)) + (m.ok() ? "" : "  " + m.failure));
    const PoetResult poet = solve_by_poet(problem_of(name), conditions);
    const std::string wrong = refuted(poet, m);
    std::string remark = wrong.empty() ? "" : "  WRONG: " + wrong;
    if (!poet.fault.empty()) remark += "  INVALID: " + poet.fault;
    const bool we_are_wrong = refutes(poet, m);
    if (we_are_wrong) remark += "  OURS IS WRONG: this schedule is below our bound";
    say(row("", poet_side(poet, m.figures.baseline_joules)) + remark);
    ours.schedules += m.figures.has_schedule && m.ok();
    ours.proven += m.settled();
    theirs.schedules += poet.has_schedule;
    theirs.proven += wrong.empty() && (poet.proven() || agrees_on_infeasible(poet, m));
    refuted_count += !wrong.empty();
    fine = fine && m.ok() && !we_are_wrong;
  }
  say(fmt::format("\nours: {}", ours.text()));
  say(fmt::format("POET: {}, {} wrong", theirs.text(), refuted_count));
  return fine ? 0 : 1;
}

}  // namespace poet::bench
