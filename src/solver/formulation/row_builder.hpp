#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "solver/formulation/variables.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// Collects a row over expressions, moving constants to the right-hand side.
class RowBuilder {
 public:
  explicit RowBuilder(std::string name) { row_.name = std::move(name); }
  RowBuilder(const char* family, int t, int i)
      : RowBuilder(fmt::format("{}_{}_{}", family, t, i)) {}

  RowBuilder& add(double coefficient, const BinaryExpression& expression) {
    constant_ += coefficient * expression.constant;
    for (const int column : expression.columns) {
      if (column >= 0) row_.terms.push_back({column, coefficient});
    }
    return *this;
  }

  /// Sets MilpRow::rarely_tight.
  RowBuilder& rarely_tight(bool hint) {
    row_.rarely_tight = hint;
    return *this;
  }

  /// Adds `expression <= bound` to the model, unless 0/1 columns cannot violate it.
  void at_most(double bound, Milp& milp) {
    double greatest = constant_;
    for (const MilpTerm& term : row_.terms) greatest += std::max(0.0, term.coefficient);
    if (greatest <= bound) return;
    row_.upper = bound - constant_;
    milp.rows.push_back(std::move(row_));
  }

  /// `expression <= bound` as a row of its own, with at most one term per column.
  MilpRow at_most_row(double bound) {
    std::sort(row_.terms.begin(), row_.terms.end(),
              [](const MilpTerm& a, const MilpTerm& b) { return a.column < b.column; });
    std::vector<MilpTerm> merged;
    for (const MilpTerm& term : row_.terms) {
      if (!merged.empty() && merged.back().column == term.column) {
        merged.back().coefficient += term.coefficient;
      } else {
        merged.push_back(term);
      }
    }
    std::erase_if(merged, [](const MilpTerm& term) { return term.coefficient == 0; });
    row_.terms = std::move(merged);
    row_.upper = bound - constant_;
    return std::move(row_);
  }

  /// Adds `expression >= bound` to the model, unless 0/1 columns cannot violate it.
  void at_least(double bound, Milp& milp) {
    double least = constant_;
    for (const MilpTerm& term : row_.terms) least += std::min(0.0, term.coefficient);
    if (least >= bound) return;
    row_.lower = bound - constant_;
    milp.rows.push_back(std::move(row_));
  }

  /// Adds `expression == value` to the model, unless it has no columns and holds.
  void equal(double value, Milp& milp) {
    if (row_.terms.empty() && constant_ == value) return;
    row_.lower = row_.upper = value - constant_;
    milp.rows.push_back(std::move(row_));
  }

 private:
  MilpRow row_;
  double constant_ = 0;
};

}  // namespace poet
