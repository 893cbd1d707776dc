// The table of all commands. Commands do not add themselves: static initialisers run in the order
// in which files are linked, and --help has an order of its own. `solve` comes first, because it is
// the command of a line that names none.

#include "app/command.hpp"

namespace poet::cli {

/// In the order of --help. Each has a file of its own in commands.
#define POET_COMMANDS(ROW) \
  ROW(kSolve)              \
  ROW(kImport)             \
  ROW(kImportSolution)     \
  ROW(kInfo)               \
  ROW(kAdvise)             \
  ROW(kVerify)             \
  ROW(kPlot)               \
  ROW(kPlace)              \
  ROW(kCertify)            \
  ROW(kRun)                \
  ROW(kExport)             \
  ROW(kFit)                \
  ROW(kSweep)              \
  ROW(kBaselines)          \
  ROW(kCompare)

// A unity build has the definitions in the same text.
// NOLINTBEGIN(readability-redundant-declaration)
#define POET_DECLARE(NAME) extern const Command NAME;
POET_COMMANDS(POET_DECLARE)
// NOLINTEND(readability-redundant-declaration)

const std::vector<const Command*>& all_commands() {
#define POET_ADDRESS(NAME) &(NAME),
  static const std::vector<const Command*> commands{POET_COMMANDS(POET_ADDRESS)};
  return commands;
}

}  // namespace poet::cli
