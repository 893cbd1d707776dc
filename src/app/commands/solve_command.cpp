// The command `solve`. What takes long comes last: options, inputs and destinations are checked
// before the search for `min`, and what was asked for besides the schedule, such as an exported
// model, is written before the solve, so that a run that is stopped leaves it. The document goes
// out in every case: a schedule, or the reason why it is missing, with the same keys for its
// problem. Exit statuses tell apart what a script has to tell apart: a proof of infeasibility, a
// limit that came first, and a schedule that is not proven although it had to be.

#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/certificates.hpp"
#include "app/command.hpp"
#include "app/commands/sweep/sweep_table.hpp"
#include "app/load_subject.hpp"
#include "app/plot_directory.hpp"
#include "app/question_options.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/print_summary.hpp"
#include "app/terminal/progress_line.hpp"
#include "app/terminal/signals.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "formats/write_tables.hpp"
#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "poet/suggest_schedule.hpp"
#include "question/fewer_moves.hpp"
#include "question/known_schedule.hpp"
#include "report/energy_box.hpp"
#include "report/fields.hpp"
#include "report/summary.hpp"

namespace poet::cli {
namespace {

constexpr const char* kSolveHelp = R"(Exit status:
  0                               a schedule was written
  1                               internal error or crash
  2                               bad usage or input, or something could not be written
  3                               proven: no schedule exists
  4                               a limit was reached before any schedule was found
  5                               --require-optimal was not met, or --certify found no proof
  130                             interrupted before there was a proof

Examples:
  $ poet-solve --model resnet18_cifar --platform m4 --ram-budget 737719 --runtime-budget 1.5
      Train ResNet-18 on a Cortex-M4 in 720 KiB, in at most 1.5x the time of one pass.
  $ poet-solve --model bert --platform a72 --ram-budget 60% --runtime-budget 2 --effort proof
      Train BERT on a Raspberry Pi in 60 % of the RAM that keeping everything takes, proven
      exactly, however long that takes.
  $ poet-solve verify schedule.json
      Replay a schedule file against the rules, with code that shares nothing with the
      solver.
  $ poet-solve plot schedule.json --output schedule.svg
      Draw RAM over time, and when every tensor is kept, recomputed and paged.)";

struct SolveArguments {
  QuestionArguments asked;
  bool require_optimal = false;
  std::optional<bool> prices_moves;
  std::string warm_start;
  Destination to;
  std::string plot_directory;
  std::string export_model;
  std::string certify;
  bool no_solve = false;  ///< write what was asked for, and end
  bool print_graph_info = false;
  bool print_power_costs = false;
  Lists lists;
};

bool parse_moves(const std::string& word) {
  if (word == "priced" || word == "free") return word == "priced";
  throw InputError(fmt::format("found '{}'; expected free or priced", printable(word)));
}

/// The schedule to start from, if one was named, in its order. A file about another graph is
/// refused; a schedule that does not fit these budgets is ignored with a warning. With a search
/// over orders a schedule in any order is a start; otherwise the order has to be the problem's,
/// since stages of another order mean other nodes.
std::optional<OrderedSchedule> warm_start(const std::string& path, const Subject& subject,
                                          const ResolvedQuestion& question) {
  if (path.empty()) return std::nullopt;
  const ScheduleFile file = parse_schedule_file(read_file(path), path);
  const OrderedSchedule known = with_place(path, [&] { return known_schedule(subject, file); });
  const SolveSettings& settings = question.request.settings;
  if (settings.order != OrderKind::search) {
    const bool any_copies = settings.copies != CopyChoice::none;
    const Subject own = any_copies ? with_copies(subject, known.copies) : subject;
    with_place(path, [&] { expect_order_of(own, known); });
  }
  const Replay replay = replay_known(subject, known, question.limits);
  if (replay.valid()) return known;
  spdlog::warn("the schedule in {} does not start the search: {}", path,
               replay.violations.front().message);
  return std::nullopt;
}

// An open interval is a warning: the solve goes on with its upper end, which has a schedule.
void report_smallest(const MinRam& found, const Graph& graph) {
  if (found.infeasible) return;  // the solve says why
  if (!found.exact()) {
    spdlog::warn("the smallest RAM budget lies between {} and {} bytes ({}); {} bytes it is",
                 found.infeasible_below_bytes, found.feasible_bytes, found.reason,
                 found.feasible_bytes);
    return;
  }
  const Node& node = graph.nodes[found.node];
  spdlog::info("the smallest RAM budget is {} bytes; node {} ('{}', {}) decides it",
               found.feasible_bytes, found.node, printable(node.name), printable(node.op));
}

/// What the budgets come to; a search for `min` is shown as a task.
ResolvedQuestion resolve_and_report(const Subject& subject, const Question& question,
                                    AnswerOptions& options, bool quiet) {
  if (!is_smallest(question.ram)) return resolve(subject, question, options);
  catch_interrupts();
  TaskLine line(quiet, 1, 0);
  const std::string name = fmt::format("smallest RAM of {}", subject.name());
  line.started(name);
  options.found_smallest = [&](const MinRam& found) {
    line.finished(name, describe(found));
    line.clear();
    report_smallest(found, subject.graph);
  };
  return resolve(subject, question, options);
}

/// What was asked for besides a schedule.
void write_graph(const SolveArguments& arguments, const Subject& subject, const Limits& limits,
                 const PlotDirectory& plots) {
  if (arguments.print_graph_info) {
    fmt::print(stderr, "{}", node_table(node_figures(subject.model, subject.graph), false));
  }
  if (arguments.print_power_costs) {
    const bool is_charged = limits.paging_time != PagingTime::free;
    fmt::print(stderr, "{}", power_table(subject.graph, is_charged));
  }
  plots.write_graph(subject.graph);
  if (arguments.export_model.empty()) return;
  with_place("--export-model", [&] {
    export_milp({.graph = subject.graph, .limits = limits}, arguments.export_model,
                origin_of(subject, arguments.asked.question.settings));
  });
  const bool searches = arguments.asked.question.settings.copies != CopyChoice::none;
  spdlog::info("MILP written to {}{}", arguments.export_model,
               searches ? ", without copies: a search chooses them later" : "");
}

/// The exit status of the search goes into the file as well, so that a reader of the file alone
/// knows how the search ended. The program's is another one if a picture or a proof is missing.
ExitCode report(const SolveArguments& arguments, const Subject& subject, Answer& answer,
                const PlotDirectory& plots, bool quiet) {
  ScheduleFile& file = *answer.file;
  file.code = exit_code_of(answer.result, arguments.require_optimal);
  print_summary(file, fmt::format("; {:.2f} s of solving", file.solver.wall_seconds));
  if (answer.passed_over) {
    spdlog::info(
        "{} without moves: {}, which is {} with its moves; this schedule: {}, moves included",
        status_name(answer.passed_over->status), format_joules(answer.passed_over->energy_joules),
        format_joules(answer.passed_over->with_moves_joules), format_joules(with_moves(file)));
  }
  print_beside_tensors(subject);
  print_work(file.solver);
  for (const std::string& bought : {order_bought(file), copies_bought(file)}) {
    if (!bought.empty()) spdlog::info("{}", bought);
  }
  const std::string uncertainty = uncertainty_line(file);
  if (!uncertainty.empty()) spdlog::info("{}", uncertainty);
  if (!answer.result.reason.empty()) spdlog::info("{}", answer.result.reason);
  ExitCode code = file.code;
  const auto lower = [&code](ExitCode other) { code = code == ExitCode::ok ? other : code; };
  if (!plots.write_schedule(file)) lower(ExitCode::usage);
  if (!arguments.certify.empty()) lower(certify_result(file, arguments.certify, quiet));
  return deliver_schedule(to_json(file, arguments.to.compact), arguments.to, code);
}

/// Who types 256 for a chip of 256 KiB has asked for bytes.
void note_about_bytes(const Question& question) {
  constexpr Bytes kMostOfSuch = 8192;
  const Bytes* const bytes = std::get_if<Bytes>(&question.ram);
  if (bytes == nullptr || *bytes > kMostOfSuch) return;
  spdlog::info("--ram-budget {0} is {0} bytes; {0}K is {0} KiB", *bytes);
}

// `session.problem` is filled in on the way: what a failure's document can say depends on how far
// this comes. Signals are caught late, so that until then Ctrl-C ends the program at once.
ExitCode solve(const SolveArguments& arguments, Session& session) {
  const Question question = stated_question(arguments.asked);
  if (arguments.no_solve && arguments.export_model.empty()) {
    throw InputError("--no-solve", "found without --export-model FILE; nothing would be written");
  }
  const Subject subject = load_subject(arguments.asked, session.problem);
  check_budgets(question, subject);
  // The search for the smallest RAM budget takes time, so what cannot be written is refused first.
  const PlotDirectory plots(arguments.plot_directory, subject.model.name);
  ProgressLine line(session.quiet,
                    Outlook(question.settings.gap, question.settings.time_limit_seconds));
  AnswerOptions options{.prices_moves = arguments.prices_moves,
                        .suggest = suggest_schedule,
                        .interrupted = [] { return interrupted(); }};
  options.progress = [&line](const Progress& progress) { line.show(progress); };
  // If the search for `min` was interrupted, or nothing is left for tensors, the answer is known
  // without a solve, and then nothing else is written.
  const ResolvedQuestion resolved = resolve_and_report(subject, question, options, session.quiet);
  if (!resolved.known) {
    session.problem.request = resolved.request;
    note_about_chain(subject.model);
    warn_about_chip(subject, resolved.limits.ram_budget_bytes);
    if (resolved.limits.ram_budget_bytes < subject.base.peak_ram_bytes) {
      warn_about_size(subject, question.settings);
    }
    write_graph(arguments, subject, resolved.limits, plots);
    if (arguments.no_solve) return ExitCode::ok;
    const auto known = with_place(
        "--warm-start", [&] { return warm_start(arguments.warm_start, subject, resolved); });
    if (known) {
      options.start = known->schedule;
      options.start_order = known->order;
      options.start_copies = known->copies;
    }
  }
  catch_interrupts();
  Answer answer = poet::answer(subject, resolved, options);
  line.clear();
  if (answer.file) return report(arguments, subject, answer, plots, session.quiet);
  if (answer.result.status == Status::infeasible && !resolved.known && !arguments.certify.empty()) {
    certify_infeasible(subject.graph, resolved.request, subject.model.order, arguments.certify,
                       session.quiet);
  }
  const ExitCode code = deliver_no_schedule(exit_code_of(answer.result, arguments.require_optimal),
                                            status_name(answer.result.status),
                                            explain(answer.result), arguments.to, answer.problem);
  if (code != ExitCode::infeasible) return code;
  note_about_bytes(question);
  const auto* const named = std::get_if<NamedRam>(&question.ram);
  const bool is_chip = named != nullptr && *named == NamedRam::chip;
  if (is_chip && resolved.limits.ram_budget_bytes > 0) print_beside_tensors(subject);
  return code;
}

// Everything that can be asked for besides the schedule goes to files or stderr: stdout is the
// document's.
void add_output_options(CLI::App& app, SolveArguments& arguments) {
  OptionGroup output(app, kWhatToWrite);
  output.text(
      "--output", arguments.to.output, "FILE",
      "write the JSON there, whole or not at all; without, it goes to stdout, or to schedule.json "
      "if that is a terminal");
  output.flag("--replace", arguments.to.replace,
              "let a run that ends without a schedule replace one that FILE holds");
  output.flag("--compact", arguments.to.compact, "JSON on one line");
  output.text("--plot-directory", arguments.plot_directory, "DIR",
              "write the layer graph (DOT, and SVG if Graphviz is installed) and a picture of the "
              "schedule into this directory");
  output.text("--export-model", arguments.export_model, "FILE",
              "write the MILP as .mps or .lp for another solver, then solve");
  output.flag("--no-solve", arguments.no_solve,
              "end after --export-model, with exit status 0 and nothing on stdout");
  output.text("--certify", arguments.certify, "FILE",
              "also write a proof of the bound, or of infeasibility, for poet-check");
  output.flag("--print-graph-info", arguments.print_graph_info, "table of the nodes on stderr");
  output.flag("--print-power-costs", arguments.print_power_costs,
              "table of each node's energy and time on stderr");
  OptionGroup lists(app, "Lists, on stdout");
  lists.flag("--list-models", arguments.lists.models, "built-in models, with their sizes");
  lists.flag("--list-platforms", arguments.lists.platforms,
             "built-in platforms, with their figures");
  lists.flag("--list-ops", arguments.lists.ops,
             "ops of model files, with their attributes and defaults");
  lists.flag("--json", arguments.lists.json, "lists as JSON");
}

// Every group of options that other commands share is added by a function of question_options.hpp,
// so that one option means one thing. --effort is applied after the parse, as it changes what is
// usual for others. A call that only lists something needs no model, which is why none is required
// here.
Run add_solve(CLI::App& app) {
  const auto arguments = std::make_shared<SolveArguments>();
  Question& question = arguments->asked.question;
  add_budget_options(app, arguments->asked);
  OptionGroup what(app, kWhatToSolve);
  what.choice("--objective", question.settings.objective,
              "what to minimise: energy within both budgets; runtime within the RAM "
              "budget; ram within the runtime budget; then, of those, the one of least energy");
  what.flag("--count-parameters", question.count_parameters,
            "the RAM budget holds parameters, optimizer state and the platform's reserve as well; "
            "without, tensors only");
  add_order_option(app, arguments->asked);
  what.parsed("--moves", arguments->prices_moves, "free|priced", parse_moves,
              "priced: if what moving tensors about in RAM takes is above 0.1 % of the energy, try "
              "a little less RAM, and take the schedule that is better with its moves; usual for "
              "measured nodes, and free for others");
  add_network_options(app, arguments->asked.model.network, "Of an ONNX network",
                      &arguments->asked.model.platform_sizes);
  add_paging_options(app, question.paging_time, question.storage);
  add_model_options(app, arguments->asked.model.settings, kWhatToSolve);
  add_copies_option(app, question.settings.copies, arguments->asked.model.copies);
  OptionGroup(app, kWhatToSolve)
      .choice("--at", question.at,
              "where in the intervals of the platform's energy figures to solve: at the geometric "
              "mean of each (middle), or at the ends at which energy is low (most operations per "
              "joule, least power) or high");
  add_setting_options(app, question.settings, arguments->require_optimal);
  OptionGroup(app, kHowHard)
      .text("--warm-start", arguments->warm_start, "FILE",
            "a schedule file of the same graph, such as one for a smaller budget, to start from");
  add_output_options(app, *arguments);
  return [arguments, &app](Session& session) {
    apply_effort(app, arguments->asked.question.settings);
    if (!arguments->lists.any()) return solve(*arguments, session);
    return deliver(list_text(arguments->lists, arguments->to.compact), arguments->to.output);
  };
}

}  // namespace

extern const Command kSolve{.name = "solve",
                            .summary = "solve one problem; may be left out",
                            .footer = kSolveHelp,
                            .add = add_solve,
                            .error_document = true};

}  // namespace poet::cli
