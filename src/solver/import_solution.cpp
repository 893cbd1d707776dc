#include "solver/import_solution.hpp"

#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "solver/incumbent.hpp"

namespace poet {
namespace {

/// How far from a whole number a solver may leave a value. CBC and HiGHS allow 1e-6 by default,
/// glpsol and Gurobi 1e-5.
constexpr double kIntegralityTolerance = 1e-5;

/// Turns the values of a file into a point of the model.
class PointReader {
 public:
  PointReader(const Milp& milp, MilpFormat format, const std::string& source)
      : milp_(milp),
        names_(column_names(milp, format)),
        source_(source),
        point_(milp.columns.size(), 0.0),
        lines_(milp.columns.size(), 0) {
    for (std::size_t c = 0; c < milp.columns.size(); ++c) {
      columns_.emplace(milp.columns[c].name, c);
    }
  }

  std::vector<double> read(const MilpSolution& solution) {
    if (solution.column_count && *solution.column_count != static_cast<int>(names_.size())) {
      throw InputError(shown_source(source_),
                       fmt::format("found a solution of {} columns; expected {}, as the exported "
                                   "model has",
                                   *solution.column_count, names_.size()));
    }
    InputErrors errors;
    for (const ColumnValue& value : solution.values) {
      errors.collect([&] { set(value); });
    }
    errors.throw_if_any();
    return std::move(point_);
  }

 private:
  InputError error(const ColumnValue& value, const std::string& message) const {
    return {fmt::format("{}:{}", shown_source(source_), value.line), message};
  }

  std::string name_of(const ColumnValue& value) const {
    if (!value.column.empty()) return value.column;
    if (value.number >= 1 && value.number <= static_cast<int>(names_.size())) {
      return names_[value.number - 1];
    }
    throw error(value, fmt::format("found a value of column {}; expected 1 to {}", value.number,
                                   names_.size()));
  }

  void set(const ColumnValue& value) {
    const std::string name = name_of(value);
    const auto at = columns_.find(name);
    if (at == columns_.end()) {
      if (name == kOffsetColumn && milp_.objective_offset != 0) return;
      throw error(value, fmt::format("found a value of '{}'; expected a column of the exported "
                                     "model",
                                     printable(name)));
    }
    const std::size_t c = at->second;
    if (lines_[c] != 0) {
      throw error(value, fmt::format("found a second value of column {}; the first is in line {}",
                                     name, lines_[c]));
    }
    lines_[c] = value.line;
    point_[c] = milp_.columns[c].integer ? whole(value, name) : value.value;
  }

  double whole(const ColumnValue& value, const std::string& name) const {
    const double rounded = std::round(value.value);
    if (std::abs(value.value - rounded) <= kIntegralityTolerance &&
        (rounded == 0 || rounded == 1)) {
      return rounded;
    }
    throw error(value, fmt::format("column {} is {}; expected 0 or 1, within {}", name, value.value,
                                   kIntegralityTolerance));
  }

  const Milp& milp_;
  std::vector<std::string> names_;  ///< in the order of the file
  const std::string& source_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<double> point_;
  std::vector<int> lines_;  ///< by column, where its value is; 0: nowhere
};

/// Judges what the solution states. tidy() before the replay would mend a schedule that holds what
/// was never computed.
void check_rules(const Problem& problem, const Schedule& schedule, const std::string& source) {
  InputErrors errors;
  for (const Violation& violation : simulate(problem.graph, schedule, problem.limits).violations) {
    errors.collect([&] {
      throw InputError(
          shown_source(source),
          fmt::format("the solution breaks {}: {}", rule_name(violation.rule), violation.message));
    });
  }
  errors.throw_if_any();
}

}  // namespace

SolveResult import_solution(const Problem& problem, const Formulation& model, MilpFormat format,
                            const MilpSolution& solution, double gap, const std::string& source) {
  const std::vector<double> point = PointReader(model.milp, format, source).read(solution);
  const Schedule literal = literal_schedule(model, problem.graph, point);
  check_rules(problem, literal, source);
  const Baseline base = baseline(problem.graph);
  Incumbent incumbent(problem, base);
  incumbent.offer(literal);
  incumbent.offer(tidy(problem.graph, problem.limits.paging_time, literal));
  if (!incumbent.schedule()) throw InternalError("a schedule that keeps to the rules was refused");
  SolveResult result{.status = incumbent.proven(gap) ? Status::optimal : Status::feasible,
                     .schedule = incumbent.schedule(),
                     .energy_joules = incumbent.energy(),
                     .lower_bound_joules = incumbent.bound()};
  result.statistics.formulation = "none";
  return result;
}

}  // namespace poet
