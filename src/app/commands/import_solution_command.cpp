// The command `import-solution`: a way to try any MILP solver on our models. Only the values of
// columns are taken over. The other solver's bound and its word `optimal` rest on tolerances that
// we do not know: what comes out has the baseline's energy as its bound, and a solve with
// --warm-start proves the rest. The columns of a solution mean something only in the very model
// that was exported. So the options of the export are given again, the model is built from them,
// and its head has to be the head of the exported file: budgets, digests, sizes. What disagrees is
// named. The solution of another model would often be a schedule too, of something else.

#include <spdlog/spdlog.h>

#include <memory>

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/load_subject.hpp"
#include "app/question_options.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/print_summary.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "formats/read_solution.hpp"
#include "poet/error.hpp"
#include "solver/import_solution.hpp"

namespace poet::cli {
namespace {

constexpr const char* kImportSolutionHelp =
    R"(SOLUTION is a file of CBC (solution FILE), glpsol (-w FILE), HiGHS (its option
solution_file) or Gurobi (ResultFile=FILE.sol). Give the same options as for the
export: the exported file has to be about the same graph, budgets and techniques. The schedule is
replayed, and its lower bound is the baseline's energy: what the other solver claims is not
taken over.

Exit status:
  0                               a schedule was written
  2                               bad usage or input, or a solution without a schedule

Examples:
  $ p=(--model linear --platform m4 --ram-budget 3500 --runtime-budget 2)
  $ poet-solve "${p[@]}" --export-model x.mps --no-solve
  $ cbc x.mps solve solution x.sol
  $ poet-solve import-solution x.sol --exported x.mps "${p[@]}" > x.json
  $ poet-solve "${p[@]}" --warm-start x.json
      Prove it, or find a better one.)";

struct ImportSolutionArguments {
  std::string solution;
  std::string exported;
  QuestionArguments asked;
  Destination to;
};

/// An exported file can have hundreds of megabytes; what it says about its problem comes first.
constexpr std::size_t kHeadBytes = 1 << 16;

// The file is not parsed as a model: names of columns are enough, and those follow from the
// question.
ExportHead read_exported(const std::string& path) {
  require_option(path, "--exported", "expected the file that --export-model wrote");
  if (path == "-") throw InputError("--exported", "found -; expected a file");
  return with_place("--exported",
                    [&] { return read_export_head(read_beginning(path, kHeadBytes), path); });
}

/// `min` stands for what a search finds, and another search may find something else.
void refuse_min(const Question& question) {
  if (!is_smallest(question.ram)) return;
  throw InputError("--ram-budget",
                   "found min; expected the bytes that the exported file states as RAM budget");
}

/// The model is built again from the question rather than parsed from the exported file; the head
/// of that file states what it was exported for, and has to agree.
ExitCode import_solution(const ImportSolutionArguments& arguments, Session& session) {
  const Question question = stated_question(arguments.asked);
  refuse_min(question);
  const ExportHead found = read_exported(arguments.exported);
  const Subject subject = load_subject(arguments.asked, session.problem);
  check_budgets(question, subject);
  const ResolvedQuestion resolved = resolve(subject, question);
  session.problem.request = resolved.request;
  const Problem problem{.graph = subject.graph, .limits = resolved.limits};

  const Formulation model = exported_model(problem);
  with_place("--exported", [&] {
    check_export_head(
        found, export_head(problem, model, found.format, origin_of(subject, question.settings)),
        arguments.exported);
  });
  const MilpSolution solution = parse_solution(read_file(arguments.solution), arguments.solution);
  const SolveResult result = poet::import_solution(problem, model, found.format, solution,
                                                   question.settings.gap, arguments.solution);
  const ScheduleFile file = make_schedule_file(subject.model, subject.platform_or_null(), problem,
                                               resolved.request, result);
  print_summary(file, fmt::format("; imported from {}", solution.solver));
  if (file.status != Status::optimal) {
    spdlog::info(
        "the lower bound is the baseline's energy, not what {} claims{}; a solve with "
        "--warm-start can prove more",
        solution.solver,
        solution.claim.empty() ? "" : fmt::format(" ('{}')", printable(solution.claim)));
  }
  return deliver(to_json(file, arguments.to.compact), arguments.to.output);
}

// The options are the solve's, without what says how hard to search: nothing is searched.
Run add_import_solution(CLI::App& app) {
  const auto arguments = std::make_shared<ImportSolutionArguments>();
  OptionGroup(app).argument("SOLUTION", arguments->solution,
                            "another solver's solution of an exported model, or - for stdin");
  OptionGroup(app, "What was solved")
      .text("--exported", arguments->exported, "FILE",
            "the file that --export-model wrote and the other solver read");
  add_budget_options(app, arguments->asked);
  // `min` stands for what a search finds, and another search may find something else.
  app.get_option("--ram-budget")
      ->description(
          "the RAM budget of the export, as for a solve but without min; chip: the platform's RAM");
  add_paging_options(app, arguments->asked.question.paging_time, arguments->asked.question.storage);
  add_model_options(app, arguments->asked.model.settings, kWhatToSolve);
  add_copies_option(app, arguments->asked.model, kWhatToSolve);
  add_settings_without_search(app, arguments->asked.question.settings);
  OptionGroup output(app, kWhatToWrite);
  output.text("--output", arguments->to.output, "FILE",
              "write the JSON there, whole or not at all");
  output.flag("--compact", arguments->to.compact, "JSON on one line");
  return [arguments](Session& session) { return import_solution(*arguments, session); };
}

}  // namespace

extern const Command kImportSolution{
    .name = "import-solution",
    .summary = "turn another solver's solution of an exported model into a schedule",
    .footer = kImportSolutionHelp,
    .add = add_import_solution,
    .error_document = true};

}  // namespace poet::cli
