// Solutions of other solvers. Each reader is headed by the lines that it expects. Here a column is
// a name or a number and a value is a number; whether the model has such a column, and whether the
// point is a schedule, is for src/solver to find out. What the solver says of optimality is kept as
// text only.
//
// Formats are recognised by their first line, since solvers give their files any name. A file that
// ends early is refused if the format states how many lines there should be: half a solution would
// read as one whose other columns are 0.

#include "formats/read_solution.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Words split(std::string_view line) {
  Words words;
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

/// The whole word as a number.
template <typename Number>
std::optional<Number> number_in(std::string_view word) {
  Number number{};
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// Lines without the blanks around them. Lines that are empty are skipped.
/// The number is the one that an editor shows: empty lines count.
class Lines {
 public:
  Lines(std::string_view text, const std::string& source)
      : rest_(text), place_(shown_source(source)) {
    next();
  }

  bool at_end() const { return at_end_; }
  std::string_view line() const { return line_; }
  int number() const { return number_; }
  const std::string& place() const { return place_; }

  void next() {
    do {
      at_end_ = rest_.empty();
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = trimmed(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (!at_end_) ++number_;
    } while (line_.empty() && !at_end_);
  }

  /// Reports what is here in place of what was expected.
  [[noreturn]] void refuse(std::string_view expected) const {
    if (at_end_) {
      throw InputError(place_, fmt::format("ends after line {}; expected {}", number_, expected));
    }
    throw InputError(fmt::format("{}:{}", place_, number_),
                     fmt::format("found '{}'; expected {}", printable(line_), expected));
  }

 private:
  std::string_view rest_;
  std::string place_;
  std::string_view line_;
  int number_ = 0;
  bool at_end_ = false;
};

[[noreturn]] void refuse_without_solution(const Lines& lines, const MilpSolution& solution) {
  throw InputError(lines.place(),
                   fmt::format("{} found no solution: '{}'; there is nothing to import",
                               solution.solver, printable(solution.claim, 200)));
}

/// A value that a column can have.
double value_in(const Lines& lines, std::string_view word) {
  const auto value = number_in<double>(word);
  if (!value || !std::isfinite(*value)) {
    lines.refuse(fmt::format("a number for '{}'", printable(word)));
  }
  return *value;
}

/// What the present line says of a column.
ColumnValue column_in(const Lines& lines, std::string_view name, std::string_view value) {
  return {.column = std::string(name), .value = value_in(lines, value), .line = lines.number()};
}

/// `0 C_1_0 1 0`: index, column, value, reduced cost; `**` in front of values beyond their bounds.
/// If rows were asked for as well, they come first, and the index starts again with the columns.
MilpSolution read_cbc(Lines& lines) {
  constexpr std::string_view kObjective = " - objective value ";
  MilpSolution solution{.solver = "CBC"};
  solution.claim = lines.line().substr(0, lines.line().find(kObjective));
  const bool stopped = solution.claim.starts_with("Stopped on ") &&
                       solution.claim.find("no integer solution") == std::string::npos;
  if (!stopped && !solution.claim.starts_with("Optimal")) refuse_without_solution(lines, solution);
  int last = -1;
  for (lines.next(); !lines.at_end(); lines.next()) {
    Words words = split(lines.line());
    if (words.front() == "**") words.erase(words.begin());
    const auto index = words.empty() ? std::nullopt : number_in<int>(words.front());
    if (!index || words.size() != 4) lines.refuse("an index, a column, its value and its cost");
    if (*index <= last) solution.values.clear();
    last = *index;
    solution.values.push_back(column_in(lines, words[1], words[2]));
  }
  return solution;
}

/// `s mip ROWS COLUMNS STATUS OBJECTIVE`, then `i ROW VALUE` and `j COLUMN VALUE`, then `e o f`.
MilpSolution read_glpsol(Lines& lines) {
  MilpSolution solution{.solver = "glpsol"};
  for (; !lines.at_end() && split(lines.line()).front() == "c"; lines.next()) {
    constexpr std::string_view kStatus = "c Status:";
    if (lines.line().starts_with(kStatus)) {
      solution.claim = trimmed(lines.line().substr(kStatus.size()));
    }
  }
  const Words head = split(lines.line());
  if (head.size() >= 2 && head[0] == "s" && (head[1] == "bas" || head[1] == "ipt")) {
    lines.refuse("'s mip': a solution of the whole model, without --nomip");
  }
  if (head.size() != 6 || head[0] != "s" || head[1] != "mip") {
    lines.refuse("'s mip ROWS COLUMNS STATUS OBJECTIVE'");
  }
  solution.column_count = number_in<int>(head[3]);
  if (!solution.column_count) lines.refuse("the number of columns");
  if (solution.claim.empty()) solution.claim = head[4];
  if (head[4] != "o" && head[4] != "f") refuse_without_solution(lines, solution);
  for (lines.next(); lines.line() != "e o f"; lines.next()) {
    const Words words = lines.at_end() ? Words{} : split(lines.line());
    const bool is_row = words.size() == 3 && words[0] == "i";
    const bool is_column = words.size() == 3 && words[0] == "j";
    const auto number = is_row || is_column ? number_in<int>(words[1]) : std::nullopt;
    if (!number) lines.refuse("'i ROW VALUE', 'j COLUMN VALUE' or 'e o f'");
    if (is_row) continue;
    solution.values.push_back(
        {.number = *number, .value = value_in(lines, words[2]), .line = lines.number()});
  }
  if (static_cast<int>(solution.values.size()) != *solution.column_count) {
    lines.refuse(fmt::format("{} columns before it, not {}", *solution.column_count,
                             solution.values.size()));
  }
  return solution;
}

/// `Model status`, the status, `# Primal solution values`, `Feasible`, `Objective VALUE`,
/// `# Columns COUNT` and as many lines `COLUMN VALUE`. What follows is about rows, duals and the
/// basis. A sparse file has only the columns that are not 0, and the negative of their number.
MilpSolution read_highs(Lines& lines) {
  MilpSolution solution{.solver = "HiGHS"};
  lines.next();
  if (lines.at_end()) lines.refuse("the status of the model");
  solution.claim = lines.line();
  lines.next();
  if (lines.line() != "# Primal solution values") lines.refuse("'# Primal solution values'");
  lines.next();
  if (lines.line() != "Feasible") {
    if (lines.line() != "None" && lines.line() != "Infeasible") {
      lines.refuse("'Feasible', 'Infeasible' or 'None'");
    }
    refuse_without_solution(lines, solution);
  }
  lines.next();
  if (lines.line().starts_with("Objective")) lines.next();
  const Words head = split(lines.line());
  const auto count = head.size() == 3 && head[0] == "#" && head[1] == "Columns"
                         ? number_in<int>(head[2])
                         : std::nullopt;
  if (!count || *count < -std::numeric_limits<int>::max()) lines.refuse("'# Columns COUNT'");
  if (*count >= 0) solution.column_count = *count;
  for (int left = std::abs(*count); left > 0; --left) {
    lines.next();
    const Words words = split(lines.line());
    if (words.size() != 2 || words[0] == "#") {
      lines.refuse(fmt::format("{} more lines with a column and its value", left));
    }
    solution.values.push_back(column_in(lines, words[0], words[1]));
  }
  return solution;
}

/// `Columns`, a line of headings, and for each column its index, status (may be missing), lower and
/// upper bound, value, dual value (may be missing), type and name. Then the same for rows, and the
/// model's status.
MilpSolution read_pretty_highs(Lines& lines) {
  constexpr std::string_view kStatus = "Model status:";
  MilpSolution solution{.solver = "HiGHS"};
  lines.next();
  if (!lines.line().starts_with("Index ") || !lines.line().ends_with(" Name")) {
    lines.refuse("headings from 'Index' to 'Name'");
  }
  bool has_values = true;
  for (lines.next(); !lines.at_end() && lines.line() != "Rows"; lines.next()) {
    const Words words = split(lines.line());
    const std::size_t lower = words.size() > 1 && !number_in<double>(words[1]) ? 2 : 1;
    if (words.size() < lower + 3 || !number_in<int>(words[0])) {
      lines.refuse("a column with index, bounds, value and name");
    }
    // Without a solution, the type follows the bounds.
    has_values = has_values && number_in<double>(words[lower + 2]);
    if (!has_values) continue;
    solution.values.push_back(column_in(lines, words.back(), words[lower + 2]));
  }
  while (!lines.at_end() && !lines.line().starts_with(kStatus)) lines.next();
  if (lines.at_end()) lines.refuse("'Model status: ...'");
  solution.claim = trimmed(lines.line().substr(kStatus.size()));
  if (!has_values || solution.claim.find("nfeasible") != std::string::npos) {
    refuse_without_solution(lines, solution);
  }
  solution.column_count = static_cast<int>(solution.values.size());
  return solution;
}

/// Comments, and lines `COLUMN VALUE`.
MilpSolution read_gurobi(Lines& lines) {
  MilpSolution solution{.solver = "Gurobi"};
  for (; !lines.at_end(); lines.next()) {
    if (lines.line().starts_with('#')) continue;
    const Words words = split(lines.line());
    if (words.size() != 2) lines.refuse("a column and its value");
    solution.values.push_back(column_in(lines, words[0], words[1]));
  }
  return solution;
}

/// The first line decides: no two of these solvers begin in the same way.
MilpSolution read_any(Lines& lines) {
  const std::string_view first = lines.line();
  if (first.find(" - objective value ") != std::string_view::npos) return read_cbc(lines);
  if (first.starts_with("c ") || first.starts_with("s ")) return read_glpsol(lines);
  if (first == "Model status") return read_highs(lines);
  if (first == "Columns") return read_pretty_highs(lines);
  if (first.starts_with('#')) return read_gurobi(lines);
  if (first.starts_with("Problem:")) lines.refuse("the file of glpsol -w, not of glpsol -o");
  lines.refuse("a solution of CBC, glpsol -w, HiGHS or Gurobi");
}

}  // namespace

// A head without any value is taken for a file that was cut, and not for all columns at 0.
MilpSolution parse_solution(std::string_view text, const std::string& source) {
  Lines lines(text, source);
  if (lines.at_end()) throw InputError(lines.place(), "is empty; expected a solver's solution");
  MilpSolution solution = read_any(lines);
  if (solution.values.empty()) {
    throw InputError(lines.place(),
                     fmt::format("found no values of {}; expected a solution", solution.solver));
  }
  return solution;
}

}  // namespace poet
