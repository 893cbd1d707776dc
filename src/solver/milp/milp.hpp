#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace poet {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct MilpColumn {
  std::string name;
  double cost = 0;
  double lower = 0;
  double upper = 1;
  bool integer = true;
};

struct MilpTerm {
  int column = 0;
  double coefficient = 0;
};

/// lower <= sum of terms <= upper
struct MilpRow {
  std::string name;
  double lower = -kInfinity;
  double upper = kInfinity;
  std::vector<MilpTerm> terms;
  bool rarely_tight = false;  ///< a hint: a relaxation may start without it
};

/// A mixed-integer linear program, to be minimised, as data that belongs to no solver: it can be
/// written as MPS or LP, checked by another solver, or handed to CBC.
struct Milp {
  std::vector<MilpColumn> columns;
  std::vector<MilpRow> rows;
  double objective_offset = 0;  ///< added to the sum of costs

  int add_column(MilpColumn column) {
    columns.push_back(std::move(column));
    return static_cast<int>(columns.size()) - 1;
  }
  std::size_t nonzeros() const {
    std::size_t count = 0;
    for (const MilpRow& row : rows) count += row.terms.size();
    return count;
  }
};

/// What the objective's offset is called as a column of a file.
inline constexpr const char* kOffsetColumn = "baseline";

/// The formats of files that hold a model.
enum class MilpFormat { mps, lp };

/// The names of the columns in the order of such a file, in which solvers that write no names
/// number them. In MPS it is the model's own. Readers of LP add a column when they first meet it:
/// in the objective, then in the rows, then in the bounds.
std::vector<std::string> column_names(const Milp& milp, MilpFormat format);

/// The model as free MPS, headed by the lines of a remark. The objective's offset becomes a column
/// kOffsetColumn fixed at 1, because readers disagree about constants in the objective.
std::string to_mps(const Milp& milp, const std::string& remark);

/// The model in CPLEX's LP format, likewise.
std::string to_lp(const Milp& milp, const std::string& remark);

/// The value that a file of another solver gives to a column.
struct ColumnValue {
  std::string column;  ///< its name; empty in a file without names
  int number = 0;      ///< in a file without names: from 1 on, in the order of the model's file
  double value = 0;
  int line = 0;  ///< of the file
};

/// A solution in a file of another solver, as it stands there. Nothing in it is proven.
struct MilpSolution {
  std::string solver;
  std::string claim;                ///< the status in the solver's words; may be empty
  std::optional<int> column_count;  ///< of the model, if the file states it
  std::vector<ColumnValue> values;  ///< of columns that are not listed: 0
};

}  // namespace poet
