// The table of all commands. Commands do not add themselves: static initialisers run in the order
// in which files are linked, and --help has an order of its own. `solve` comes first, because it is
// the command of a line that names none.

#include "app/command.hpp"

namespace poet::cli {

// A unity build has the definitions in the same text.
// NOLINTBEGIN(readability-redundant-declaration)
extern const Command kSolve, kImport, kImportSolution, kInfo, kVerify, kPlot, kSimulate, kPlace,
    kCertify, kRun, kExport, kFit, kSweep, kBaselines, kCompare;
// NOLINTEND(readability-redundant-declaration)

const std::vector<const Command*>& all_commands() {
  static const std::vector<const Command*> commands{
      &kSolve,   &kImport, &kImportSolution, &kInfo, &kVerify, &kPlot,      &kSimulate, &kPlace,
      &kCertify, &kRun,    &kExport,         &kFit,  &kSweep,  &kBaselines, &kCompare};
  return commands;
}

}  // namespace poet::cli
