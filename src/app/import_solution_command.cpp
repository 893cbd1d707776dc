#include <spdlog/spdlog.h>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/print_summary.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "formats/read_solution.hpp"
#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "report/summary.hpp"
#include "solver/import_solution.hpp"

namespace poet::cli {
namespace {

/// An exported file can have hundreds of megabytes; what it says about its problem comes first.
constexpr std::size_t kHeadBytes = 1 << 16;

ExportHead read_exported(const std::string& path) {
  require_option(path, "--exported", "expected the file that --export-model wrote");
  if (path == "-") throw InputError("--exported", "found -; expected a file");
  return in_option("--exported",
                   [&] { return read_export_head(read_beginning(path, kHeadBytes), path); });
}

/// `min` stands for what a search finds, and another search may find something else.
void refuse_min(const RamBudget& budget) {
  if (!is_smallest(budget)) return;
  throw InputError("--ram-budget",
                   "found min; expected the bytes that the exported file states as RAM budget");
}

}  // namespace

Outcome run_import_solution(const Options& options, ProblemInfo& info) {
  const Budgets budgets = read_budgets(options);
  refuse_min(budgets.ram);
  check_one_stdin(options, "SOLUTION");
  check_destination("--output", options.output);
  const ExportHead found = read_exported(options.exported);
  const Inputs inputs = load_inputs(options, "--model", info);
  Problem problem{.graph =
                      make_costs(inputs.model, inputs.platform, options.settings.mem_power_scale,
                                 options.paging, "--platform")};
  const Baseline base = baseline(problem.graph);
  problem.limits = limits_but_ram(options, inputs, budgets.runtime, base);
  info.graph_sha256 = graph_sha256(problem.graph, problem.limits.paging_time);
  problem.limits.ram_budget_bytes = ram_bytes(budgets.ram, base, std::nullopt, inputs);
  info.request = make_request(problem.limits, budgets.runtime, base, options.settings);

  const Formulation model = exported_model(problem);
  in_option("--exported", [&] {
    check_export_head(found, export_head(problem, model, found.format, origin_of(inputs, options)),
                      options.exported);
    return 0;
  });
  const MilpSolution solution = parse_solution(read_file(options.input_file), options.input_file);
  const SolveResult result = import_solution(problem, model, found.format, solution,
                                             options.settings.gap, options.input_file);
  const ScheduleFile report =
      make_schedule_file(inputs.model, inputs.platform_or_null(), problem, *info.request, result);
  print_summary(report, fmt::format("; imported from {}", solution.solver));
  if (report.status != Status::optimal) {
    spdlog::info(
        "the lower bound is the baseline's energy, whatever {} claims{}; a solve with "
        "--warm-start can prove more",
        solution.solver,
        solution.claim.empty() ? "" : fmt::format(" ('{}')", printable(solution.claim)));
  }
  return {
      .code = ExitCode::ok, .document = to_json(report, options.compact), .output = options.output};
}

}  // namespace poet::cli
