#include "app/command.hpp"

namespace poet::cli {

extern const Command kSolve, kImport, kImportSolution, kInfo, kVerify, kPlot, kSimulate, kPlace,
    kRun, kExport, kFit, kSweep, kBaselines, kCompare;

const std::vector<const Command*>& all_commands() {
  static const std::vector<const Command*> commands{
      &kSolve, &kImport, &kImportSolution, &kInfo, &kVerify, &kPlot,      &kSimulate,
      &kPlace, &kRun,    &kExport,         &kFit,  &kSweep,  &kBaselines, &kCompare};
  return commands;
}

}  // namespace poet::cli
