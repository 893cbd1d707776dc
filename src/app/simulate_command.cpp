#include <spdlog/spdlog.h>

#include <filesystem>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/print_summary.hpp"
#include "base/files/files.hpp"
#include "base/sha256.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/read_draft.hpp"
#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "report/fields.hpp"

namespace poet::cli {
namespace {

/// Whose graph it is that a file has, if neither the file nor the command line says.
ModelInfo unnamed_model(const std::string& source, const std::string& text) {
  return {.name = source == "-" ? "stdin" : std::filesystem::path(source).stem().string(),
          .source = source,
          .backward = std::string(name_of(Backward::explicit_nodes)),
          .sha256 = sha256_hex(text)};
}

/// The draft in FILE, about the graph that it has or that of the inputs, if there are any.
ScheduleDraft read_draft(const Options& options, const std::string& text,
                         const std::optional<Inputs>& inputs) {
  if (!inputs) return parse_schedule_draft(text, options.input_file, nullptr);
  const GraphOfDraft graph_of = [&](const ScheduleDraft& draft) {
    return make_costs(inputs->model, inputs->platform, draft.request.settings.mem_power_scale,
                      draft.request.limits.techniques.paging, "--platform");
  };
  ScheduleDraft draft = parse_schedule_draft(text, options.input_file, graph_of);
  if (graph_sha256(graph_of(draft)) != graph_sha256(draft.graph)) {
    throw InputError(shown_source(options.input_file),
                     "found the nodes of another graph than --model has; expected the same, or "
                     "stages alone");
  }
  draft.model = model_info(inputs->model);
  draft.platform.reset();
  if (inputs->platform) draft.platform = platform_info(*inputs->platform);
  return draft;
}

/// Budgets on the command line replace those of the file.
void apply_budgets(const Options& options, const std::optional<Inputs>& inputs,
                   ScheduleDraft& draft) {
  const Baseline base = baseline(draft.graph);
  if (!options.ram_budget.empty()) {
    draft.ram_budget_bytes = in_option("--ram-budget", [&] {
      return resolve(parse_ram_budget(options.ram_budget), base,
                     {.chip = inputs ? chip_ram_bytes(inputs->model, inputs->platform_or_null())
                                     : std::nullopt});
    });
  }
  if (options.runtime_budget.empty()) return;
  in_option("--runtime-budget", [&] {
    const RuntimeBudget stated = parse_runtime_budget(options.runtime_budget);
    draft.runtime_budget_seconds = resolve(stated, base);
    const Ratio* ratio = std::get_if<Ratio>(&stated);
    draft.runtime_budget_ratio = ratio != nullptr ? std::optional(ratio->value) : std::nullopt;
    return 0;
  });
}

void check_input(const Options& options) {
  check_one_stdin(options, "FILE");
  if (options.model.empty() && !options.platform.empty()) {
    throw InputError("--platform", "found without --model; expected both, or --model alone");
  }
  check_destination("--output", options.output);
}

Outcome refuse(const Replay& replay, const std::string& name) {
  for (const Violation& violation : replay.violations) {
    spdlog::error("{}: {}: {}", name, rule_name(violation.rule), violation.message);
  }
  const std::size_t count = replay.violations.size();
  spdlog::error("{}: invalid, {} violation{}; nothing was written", name, count,
                count == 1 ? "" : "s");
  return {.code = ExitCode::requirement};
}

}  // namespace

Outcome run_simulate(const Options& options) {
  check_input(options);
  const std::string text = read_file(options.input_file);
  std::optional<Inputs> inputs;
  ProblemInfo info;
  if (!options.model.empty()) inputs = load_inputs(options, "--model", info);
  ScheduleDraft draft = read_draft(options, text, inputs);
  apply_budgets(options, inputs, draft);
  const Replay replay = replay_draft(draft);
  const std::string name = shown_source(options.input_file);
  if (!replay.valid()) return refuse(replay, name);
  ScheduleFile file = complete_draft(draft, replay, unnamed_model(options.input_file, text));
  price_moves(file);
  const Summary& s = file.summary;
  spdlog::info("{}: valid; {} ({} over the baseline), peak RAM {} of {}, runtime {:.4f}x", name,
               format_joules(s.energy_joules), change_text(s.energy_overhead),
               format_bytes(s.peak_ram_bytes), format_bytes(s.ram_budget_bytes), s.runtime_ratio);
  print_arena(file);
  return {.document = to_json(file, options.compact), .output = options.output};
}

}  // namespace poet::cli
