#pragma once

#include <optional>
#include <string>
#include <vector>

namespace poet {

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
