// From stages that a person wrote to a complete schedule file. The judge replays them as it replays
// an answer of the solver. No search was made, so the status is `feasible` and the bound is the
// baseline's energy. All that the stages do not say is computed or taken from the model, so a
// schedule of another tool takes a list of nodes and a list of stages, and no figure that could be
// wrong. Violations are all listed, with the numbers of stages as the file has them.

#include "app/commands/verify/verify_draft.hpp"

#include <fmt/format.h>

#include "app/load_subject.hpp"
#include "app/terminal/print_summary.hpp"
#include "base/text/printable.hpp"
#include "formats/read_schedule.hpp"
#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "report/fields.hpp"
#include "report/schedule_draft.hpp"
#include "report/summary.hpp"
#include "runs/load_step.hpp"

namespace poet::cli {
namespace {

/// The inputs of a draft with their costs, in the order that the draft states.
Subject subject_of(const Inputs& inputs, const ScheduleFile& draft, const std::string& source) {
  Subject given = priced(inputs.model, inputs.platform,
                         {.techniques = draft.request.limits.techniques,
                          .settings = draft.request.settings,
                          .at = draft.request.at});
  if (draft.model.order.empty()) return given;
  return with_place(shown_source(source) + ": /model/order",
                    [&] { return reordered(given, draft.model.order); });
}

/// The draft about its own graph or the graph of the inputs, if there are any. If both state
/// nodes, they have to be the same graph: stages for another graph could replay without an error.
ScheduleFile read_draft(const std::string& text, const std::string& source,
                        const std::optional<Inputs>& inputs) {
  if (!inputs) return parse_schedule_draft(text, source, nullptr);
  const GraphOfDraft graph_of = [&](const ScheduleFile& draft) {
    return subject_of(*inputs, draft, source).graph;
  };
  ScheduleFile draft = parse_schedule_draft(text, source, graph_of);
  const Subject subject = subject_of(*inputs, draft, source);
  if (graph_sha256(subject.graph) != graph_sha256(draft.graph)) {
    throw InputError(shown_source(source),
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
void apply_budgets(const DraftArguments& arguments, const std::optional<Inputs>& inputs,
                   ScheduleFile& draft) {
  const Baseline base = baseline(given_graph(draft));
  if (arguments.ram) {
    draft.request.limits.ram_budget_bytes = with_place("--ram-budget", [&] {
      return resolve(*arguments.ram, base,
                     {.chip = inputs ? chip_ram_bytes(inputs->model, inputs->platform_or_null())
                                     : std::nullopt});
    });
  }
  if (!arguments.runtime) return;
  const Seconds seconds =
      with_place("--runtime-budget", [&] { return resolve(*arguments.runtime, base); });
  draft.request.limits.runtime_budget_seconds = seconds;
  draft.request.runtime_budget_ratio = runtime_ratio(*arguments.runtime, base);
}

}  // namespace

// The replay is asked with the budgets of the command line in place, so that a schedule that needs
// more is refused here and not by the first reader of its file. A platform gives costs to a model
// and means nothing to nodes that state theirs.
ExitCode verify_draft(const DraftArguments& arguments, const std::string& text,
                      const std::string& source, ProblemInfo& problem) {
  if (arguments.model.model.empty() && !arguments.platform.empty()) {
    throw InputError("--platform", "found without --model; expected both, or --model alone");
  }
  std::optional<Inputs> inputs;
  if (!arguments.model.model.empty()) {
    inputs = load_inputs(arguments.model, arguments.platform, problem);
  }
  ScheduleFile draft = read_draft(text, source, inputs);
  apply_budgets(arguments, inputs, draft);
  std::vector<std::string> found;
  for (const Violation& violation :
       simulate(draft.graph, draft.schedule, draft.request.limits).violations) {
    found.push_back(fmt::format("{}: {}", rule_name(violation.rule), violation.message));
  }
  const std::string name = shown_source(source);
  if (!print_findings(found, name, "nothing was written")) return ExitCode::requirement;
  ScheduleFile file = complete_draft(draft);
  price_moves(file);
  print_valid(file, name);
  print_arena(file);
  return deliver(to_json(file, arguments.to.compact), arguments.to.output);
}

}  // namespace poet::cli
