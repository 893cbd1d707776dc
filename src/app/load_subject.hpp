#pragma once

#include <optional>
#include <string>

#include "app/question_options.hpp"
#include "formats/named_text.hpp"
#include "import/import_process.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/question.hpp"
#include "poet/schedule_file.hpp"
#include "poet/solve.hpp"
#include "runs/load_grid.hpp"

namespace poet::cli {

/// Loads a model, an ONNX file included; `option` is where it stands on the command line. Throws
/// InputError.
Model load_model(const ModelArguments& arguments, const char* option = "--model");

/// Loads what a command is about. Fills in `info` with what it has read. Throws InputError, naming
/// the option.
struct Inputs {
  Model model;
  std::optional<Platform> platform;

  const Platform* platform_or_null() const { return platform ? &*platform : nullptr; }
};
Inputs load_inputs(const ModelArguments& model, const std::string& platform, ProblemInfo& info,
                   const char* model_option = "--model");

/// The model file of an ONNX file, with the layers, the loss and what trains as the options state.
/// What a user should know goes to the log. Throws InputError.
std::string imported_model(const ImportRequest& request, const std::string& path);
/// The same with the parameters, if the request asks for them.
ImportedText imported_network(const ImportRequest& request, const std::string& path);

/// The text of the model that a schedule was solved for: of --model, an ONNX file included. Throws
/// InputError, naming the option.
NamedText model_text(const ImportRequest& request, const std::string& model);

/// Loads both and gives the model its costs. Throws InputError, naming the option.
Subject load_subject(const QuestionArguments& arguments, ProblemInfo& info);

/// The question of the command line: throws InputError, naming the option, if --model or a budget
/// is missing, and for a budget that stands for nothing here.
Question stated_question(const QuestionArguments& arguments);
void check_budgets(const Question& question, const Subject& subject);

/// Says on stderr which tensor with several users makes POET's chain no training step, if one does.
void note_about_chain(const Model& model);
/// Once for each model, on any number of platforms.
void note_about_chains(const std::vector<Subject>& subjects);

}  // namespace poet::cli
