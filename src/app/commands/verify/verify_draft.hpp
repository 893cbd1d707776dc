#pragma once

#include <optional>
#include <string>

#include "app/question_options.hpp"
#include "app/terminal/deliver.hpp"
#include "poet/question.hpp"

namespace poet::cli {

/// What a command line says of stages that were written by hand.
struct DraftArguments {
  ModelArguments model;
  std::string platform;
  std::optional<RamBudget> ram;
  std::optional<RuntimeBudget> runtime;
  Destination to;
};

/// Replays the stages of a text from `source`, about the graph that it has or about the model, and
/// writes their schedule file. Violations go to stderr, and nothing is written then. Fills in
/// `problem` with what it has read. Throws InputError.
ExitCode verify_draft(const DraftArguments& arguments, const std::string& text,
                      const std::string& source, ProblemInfo& problem);

}  // namespace poet::cli
