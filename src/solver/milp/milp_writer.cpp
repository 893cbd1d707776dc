#include "solver/milp/milp.hpp"

#include <cmath>
#include <iterator>
#include <sstream>
#include <vector>

#include <fmt/format.h>

namespace poet {
namespace {

using Buffer = fmt::memory_buffer;

template <typename... Arguments>
void put(Buffer& buffer, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(buffer), text, std::forward<Arguments>(arguments)...);
}

/// The model with its offset as a column.
Milp with_offset_column(const Milp& milp) {
  Milp result = milp;
  if (milp.objective_offset == 0) return result;
  result.objective_offset = 0;
  result.columns.push_back({.name = kOffsetColumn,
                            .cost = milp.objective_offset,
                            .lower = 1,
                            .upper = 1,
                            .integer = false});
  return result;
}

/// Each line of the remark as a comment of the format.
void put_remark(Buffer& out, const std::string& remark, char comment) {
  std::istringstream lines(remark);
  for (std::string line; std::getline(lines, line);) put(out, "{} {}\n", comment, line);
}

/// Our rows never have two different bounds, for which MPS would need a section of its own.
char row_sense(const MilpRow& row) {
  if (row.lower == row.upper) return 'E';
  return row.upper < kInfinity ? 'L' : 'G';
}

double right_hand_side(const MilpRow& row) {
  return row.upper < kInfinity ? row.upper : row.lower;
}

struct Entry {
  int row = 0;
  double coefficient = 0;
};

std::vector<std::vector<Entry>> by_column(const Milp& milp) {
  std::vector<std::vector<Entry>> entries(milp.columns.size());
  for (std::size_t r = 0; r < milp.rows.size(); ++r) {
    for (const MilpTerm& term : milp.rows[r].terms) {
      entries[term.column].push_back({static_cast<int>(r), term.coefficient});
    }
  }
  return entries;
}

void put_mps_columns(Buffer& out, const Milp& milp) {
  const auto entries = by_column(milp);
  bool in_integers = false;
  const auto mark = [&](bool integer) {
    if (integer == in_integers) return;
    put(out, " MARKER 'MARKER' '{}'\n", integer ? "INTORG" : "INTEND");
    in_integers = integer;
  };
  for (std::size_t c = 0; c < milp.columns.size(); ++c) {
    const MilpColumn& column = milp.columns[c];
    mark(column.integer);
    put(out, " {} energy {}\n", column.name, column.cost);
    for (const Entry& entry : entries[c]) {
      put(out, " {} {} {}\n", column.name, milp.rows[entry.row].name, entry.coefficient);
    }
  }
  mark(false);
}

/// The objective as LP states it; never empty if there is a column.
std::vector<MilpTerm> lp_objective(const Milp& milp) {
  std::vector<MilpTerm> costs;
  for (std::size_t c = 0; c < milp.columns.size(); ++c) {
    if (milp.columns[c].cost != 0) costs.push_back({static_cast<int>(c), milp.columns[c].cost});
  }
  if (costs.empty() && !milp.columns.empty()) costs.push_back({0, 0.0});
  return costs;
}

void put_lp_terms(Buffer& out, const Milp& milp, const std::vector<MilpTerm>& terms) {
  int in_line = 0;
  for (const MilpTerm& term : terms) {
    if (++in_line % 8 == 0) put(out, "\n  ");
    put(out, " {} {} {}", term.coefficient < 0 ? '-' : '+', std::abs(term.coefficient),
        milp.columns[term.column].name);
  }
}

}  // namespace

std::vector<std::string> column_names(const Milp& original, MilpFormat format) {
  const Milp milp = with_offset_column(original);
  std::vector<std::string> names;
  std::vector<bool> met(milp.columns.size(), false);
  const auto meet = [&](int column) {
    if (!met[column]) names.push_back(milp.columns[column].name);
    met[column] = true;
  };
  if (format == MilpFormat::lp) {
    for (const MilpTerm& term : lp_objective(milp)) meet(term.column);
    for (const MilpRow& row : milp.rows) {
      for (const MilpTerm& term : row.terms) meet(term.column);
    }
  }
  for (std::size_t c = 0; c < milp.columns.size(); ++c) meet(static_cast<int>(c));
  return names;
}

std::string to_mps(const Milp& original, const std::string& remark) {
  const Milp milp = with_offset_column(original);
  Buffer out;
  put_remark(out, remark, '*');
  put(out, "NAME poet FREE\nROWS\n N energy\n");
  for (const MilpRow& row : milp.rows) put(out, " {} {}\n", row_sense(row), row.name);
  put(out, "COLUMNS\n");
  put_mps_columns(out, milp);
  put(out, "RHS\n");
  for (const MilpRow& row : milp.rows) put(out, " RHS {} {}\n", row.name, right_hand_side(row));
  put(out, "BOUNDS\n");
  for (const MilpColumn& column : milp.columns) {
    put(out, " LO BND {} {}\n", column.name, column.lower);
    put(out, " UP BND {} {}\n", column.name, column.upper);
  }
  put(out, "ENDATA\n");
  return fmt::to_string(out);
}

std::string to_lp(const Milp& original, const std::string& remark) {
  const Milp milp = with_offset_column(original);
  Buffer out;
  put_remark(out, remark, '\\');
  put(out, "Minimize\n energy:");
  put_lp_terms(out, milp, lp_objective(milp));
  put(out, "\nSubject To\n");
  for (const MilpRow& row : milp.rows) {
    put(out, " {}:", row.name);
    put_lp_terms(out, milp, row.terms);
    const char sense = row_sense(row);
    put(out, " {} {}\n", sense == 'E' ? "=" : sense == 'L' ? "<=" : ">=", right_hand_side(row));
  }
  put(out, "Bounds\n");
  for (const MilpColumn& column : milp.columns) {
    put(out, " {} <= {} <= {}\n", column.lower, column.name, column.upper);
  }
  put(out, "Generals\n");
  for (const MilpColumn& column : milp.columns) {
    if (column.integer) put(out, " {}\n", column.name);
  }
  put(out, "End\n");
  return fmt::to_string(out);
}

}  // namespace poet
