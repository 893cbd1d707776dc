#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/solve.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// The model that export_milp() writes, before its objective and rows are scaled for other solvers.
Formulation exported_model(const Problem& problem);

/// One of the facts about its problem that the comments of an exported model state: `RAM budget`,
/// `3500 bytes`.
struct ExportFact {
  std::string key;
  std::string value;
};

/// What the comments at the head of an exported file state.
struct ExportHead {
  MilpFormat format = MilpFormat::mps;
  std::vector<ExportFact> facts;
};

/// The head of the file that export_milp() writes for this problem and its exported_model().
ExportHead export_head(const Problem& problem, const Formulation& model, MilpFormat format,
                       const ProblemOrigin& origin);

/// Reads the head of an exported file from the file's beginning. Throws InputError if the text does
/// not begin as export_milp() writes it.
ExportHead read_export_head(std::string_view text, const std::string& source);

/// Throws InputError, with a line for each difference, unless a file with the head `found` holds
/// the model of a problem with the head `expected`. Two models or platforms with the same graph
/// count as the same, even if their files differ.
void check_export_head(const ExportHead& found, const ExportHead& expected,
                       const std::string& source);

}  // namespace poet
