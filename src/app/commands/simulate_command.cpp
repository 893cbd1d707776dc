// The command `simulate`: from stages that a person wrote to a complete schedule file. The judge
// replays them as it replays an answer of the solver. No search was made, so the status is
// `feasible` and the bound is the baseline's energy. All that the stages do not say is computed or
// taken from the model, so a schedule of another tool takes a list of nodes and a list of stages,
// and no figure that could be wrong. Violations are all listed, with the numbers of stages as the
// file has them.

#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>

#include "app/command.hpp"
#include "app/load_subject.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/print_summary.hpp"
#include "base/files/files.hpp"
#include "base/sha256.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/read_schedule.hpp"
#include "poet/error.hpp"
#include "poet/question.hpp"
#include "poet/simulate.hpp"
#include "report/fields.hpp"
#include "report/schedule_draft.hpp"
#include "runs/load_step.hpp"

namespace poet::cli {
namespace {

constexpr const char* kSimulateHelp =
    R"(FILE is a schedule file of which little has to be there: "format", "version", "nodes" and
"stages". Stages may name nodes by name, and leave out empty lists. Without a budget, the
schedule's own peak RAM and runtime are its budgets. The file that is written is complete,
with the status 'feasible', as if a solve had found the schedule.

Exit status:
  0                               the schedule is valid; its file was written
  2                               bad usage, or a file that cannot be read; nothing was written
  5                               the schedule breaks a rule; nothing was written

Examples:
  $ poet-solve simulate stages.json --output schedule.json
  $ poet-solve simulate stages.json --model linear --platform m4 --ram-budget 3500 > s.json
      Stages for a model, which supplies the nodes, within 3500 bytes.)";

struct SimulateArguments {
  std::string file;
  ModelArguments model;
  std::string platform;
  std::optional<RamBudget> ram;
  std::optional<RuntimeBudget> runtime;
  Destination to;
};

/// Whose graph it is that a file has, if neither the file nor the command line says.
ModelInfo unnamed_model(const std::string& source, const std::string& text) {
  return {.name = source == "-" ? "stdin" : std::filesystem::path(source).stem().string(),
          .source = source,
          .backward = std::string(name_of(Backward::explicit_nodes)),
          .sha256 = sha256_hex(text)};
}

/// The inputs of a draft with their costs, in the order that the draft states.
Subject subject_of(const Inputs& inputs, const ScheduleDraft& draft, const std::string& source) {
  Subject given =
      priced(inputs.model, inputs.platform,
             {.techniques = draft.request.limits.techniques, .settings = draft.request.settings});
  if (!draft.model || draft.model->order.empty()) return given;
  return with_place(shown_source(source) + ": /model/order",
                    [&] { return reordered(given, draft.model->order); });
}

/// The draft in FILE, about its own graph or the graph of the inputs, if there are any. If both
/// state nodes, they have to be the same graph: stages for another graph could replay without an
/// error.
ScheduleDraft read_draft(const SimulateArguments& arguments, const std::string& text,
                         const std::optional<Inputs>& inputs) {
  if (!inputs) return parse_schedule_draft(text, arguments.file, nullptr);
  const GraphOfDraft graph_of = [&](const ScheduleDraft& draft) {
    return subject_of(*inputs, draft, arguments.file).graph;
  };
  ScheduleDraft draft = parse_schedule_draft(text, arguments.file, graph_of);
  const Subject subject = subject_of(*inputs, draft, arguments.file);
  if (graph_sha256(subject.graph) != graph_sha256(draft.graph)) {
    throw InputError(shown_source(arguments.file),
                     "found the nodes of another graph than --model has; expected the same, or "
                     "stages alone");
  }
  draft.model = model_info(subject.model);
  draft.platform.reset();
  if (inputs->platform) draft.platform = platform_info(*inputs->platform);
  return draft;
}

/// Budgets on the command line replace the budgets of the file. A share of RAM and a multiple of
/// time are the given order's in any order of the stages.
void apply_budgets(const SimulateArguments& arguments, const std::optional<Inputs>& inputs,
                   ScheduleDraft& draft) {
  const Baseline base = stated_base(draft);
  if (arguments.ram) {
    draft.ram_budget_bytes = with_place("--ram-budget", [&] {
      return resolve(*arguments.ram, base,
                     {.chip = inputs ? chip_ram_bytes(inputs->model, inputs->platform_or_null())
                                     : std::nullopt});
    });
  }
  if (!arguments.runtime) return;
  draft.runtime_budget_seconds =
      with_place("--runtime-budget", [&] { return resolve(*arguments.runtime, base); });
  const Ratio* ratio = std::get_if<Ratio>(&*arguments.runtime);
  draft.runtime_budget_ratio = ratio != nullptr ? std::optional(ratio->value) : std::nullopt;
}

// A platform gives costs to a model and means nothing to nodes that state theirs.
void check_simulate_input(const SimulateArguments& arguments) {
  check_one_stdin("FILE", {arguments.file, arguments.model.model, arguments.platform});
  if (arguments.model.model.empty() && !arguments.platform.empty()) {
    throw InputError("--platform", "found without --model; expected both, or --model alone");
  }
  check_destination("--output", arguments.to.output);
}

// Nothing is written, not even a document of the failure: the file would be taken for a schedule.
ExitCode refuse_simulate(const Replay& replay, const std::string& name) {
  for (const Violation& violation : replay.violations) {
    spdlog::error("{}: {}: {}", name, rule_name(violation.rule), violation.message);
  }
  spdlog::error("{}: invalid, {}; nothing was written", name,
                counted(replay.violations.size(), "violation"));
  return ExitCode::requirement;
}

// The replay is asked with the budgets of the command line in place, so that a schedule that needs
// more is refused here and not by the first reader of its file.
ExitCode simulate_stages(const SimulateArguments& arguments, Session& session) {
  check_simulate_input(arguments);
  const std::string text = read_file(arguments.file);
  std::optional<Inputs> inputs;
  if (!arguments.model.model.empty()) {
    inputs = load_inputs(arguments.model, arguments.platform, session.problem);
  }
  ScheduleDraft draft = read_draft(arguments, text, inputs);
  apply_budgets(arguments, inputs, draft);
  const Replay replay = replay_draft(draft);
  const std::string name = shown_source(arguments.file);
  if (!replay.valid()) return refuse_simulate(replay, name);
  ScheduleFile file = complete_draft(draft, replay, unnamed_model(arguments.file, text));
  price_moves(file);
  const Summary& s = file.summary;
  spdlog::info("{}: valid; {} ({} over the baseline), peak RAM {} of {}, runtime {:.4f}x", name,
               format_joules(s.energy_joules), change_text(s.energy_overhead),
               format_bytes(s.peak_ram_bytes), format_bytes(s.ram_budget_bytes), s.runtime_ratio);
  print_arena(file);
  return deliver(to_json(file, arguments.to.compact), arguments.to.output);
}

// `min` is left out of the budgets: the schedule is given, and its own peak is the least that it
// needs.
Run add_simulate(CLI::App& app) {
  const auto arguments = std::make_shared<SimulateArguments>();
  OptionGroup group(app);
  group.argument("FILE", arguments->file, "a schedule file, complete or not, or - for stdin");
  group.text("--model", arguments->model.model, "NAME|FILE",
             "the model that the stages are for; not needed if FILE has nodes");
  group.text("--platform", arguments->platform, "NAME|FILE", "the platform of the model");
  add_model_options(app, arguments->model.settings, "Options");
  group.parsed(
      "--ram-budget", arguments->ram, "SIZE", parse_ram_budget,
      "check the schedule against this RAM budget, as for a solve but without min; chip: the "
      "platform's RAM");
  group.parsed("--runtime-budget", arguments->runtime, "T", parse_runtime_budget,
               "check it against this runtime budget, as for a solve");
  group.text("--output", arguments->to.output, "FILE", "write the JSON there, whole or not at all");
  group.flag("--compact", arguments->to.compact, "JSON on one line");
  return [arguments](Session& session) { return simulate_stages(*arguments, session); };
}

}  // namespace

extern const Command kSimulate{
    .name = "simulate",
    .summary = "replay stages written by hand, and write their schedule file",
    .footer = kSimulateHelp,
    .add = add_simulate};

}  // namespace poet::cli
