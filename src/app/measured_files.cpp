// What `fit` and `run --profile` share: both have times of instructions, and write a model of
// measured nodes and a platform. Powers and sizes are not measured. Powers are what the costs in
// the schedule come to; sizes are from a named platform or from the one that the schedule was
// solved for. The fitted platform states so.

#include "app/measured_files.hpp"

#include <spdlog/spdlog.h>

#include <array>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "app/load_subject.hpp"
#include "base/files/folder.hpp"
#include "base/text/printable.hpp"
#include "formats/write_inputs.hpp"
#include "measure/fit_intervals.hpp"
#include "model/model_spec.hpp"
#include "report/fields.hpp"
#include "runs/load_step.hpp"

namespace poet::cli {
namespace {

/// The named board. Without a name, the platform of the schedule, by its name or path, if it still
/// has the digest that the schedule states; else one that has nothing but what will be measured.
Platform platform_of(const std::optional<Platform>& board, const ScheduleFile& file) {
  if (board) return *board;
  Platform unknown{.name = "measured", .flops_per_joule = 1};
  if (!file.platform) return unknown;
  unknown.name = file.platform->name;
  if (std::optional<Platform> platform = find_platform(*file.platform)) return *platform;
  spdlog::warn(
      "the schedule's platform '{}' is not found as it was: the fitted one does not state the "
      "sizes of the board; fit --platform FILE says where they are",
      printable(unknown.name));
  return unknown;
}

std::string error_text(double error) {
  return fmt::format("{:.1f} %", 100 * error);
}

}  // namespace

StepFit fit_schedule(const ScheduleFile& file, const Model& model, const InstructionTimes& times,
                     const PageTimes& page_times, const std::optional<Platform>& board,
                     const std::string& how, bool intervals) {
  Platform base = platform_of(board, file);
  base.description = fmt::format("measured by {} with the model {}", how, file.model.name);
  base.provenance = fmt::format(
      "rates of computation and paging: measured by {}; powers and sizes: those of '{}'", how,
      base.name);
  const std::string name = base.name;
  base.name += "-measured";
  StepFit fit = fit_step({.model = model,
                          .graph = file.graph,
                          .program = file.program,
                          .times = times,
                          .page_times = page_times,
                          .mem_power_scale = file.request.settings.mem_power_scale},
                         base);
  fit.model.name += "-measured";
  if (intervals) add_intervals(fit.platform, model, file.graph, file.program, times, how, name);
  for (const auto& [is_measured, what] :
       {std::pair{fit.has_page_in, "page-in"}, std::pair{fit.has_page_out, "page-out"}}) {
    if (!is_measured) spdlog::info("no {} was measured: it costs what the schedule says", what);
  }
  return fit;
}

/// One rate for each op cannot suit all nodes. A small node has fixed costs; the table shows by how
/// much the platform misses it.
void print_fit(const StepFit& fit) {
  constexpr const char* kLine = "{:<28} {:>5} {:>11} {:>6} {:>11} {:>9} {:>9}  {}\n";
  const OpResidual all = total(fit.residuals);
  fmt::print(stderr, kLine, "op", "nodes", "measured", "share", "platform", "median", "largest",
             "worst node");
  const auto print = [&](const OpResidual& op, const std::string& middle) {
    fmt::print(stderr, kLine, printable(op.op, 28), op.node_count,
               format_seconds(op.measured_seconds),
               fmt::format("{:.0f} %", 100 * op.measured_seconds / all.measured_seconds),
               format_seconds(op.predicted_seconds), middle, error_text(op.largest_error),
               printable(op.worst_node, 40));
  };
  for (const OpResidual& op : fit.residuals) print(op, error_text(op.median_error));
  print(all, "");
}

void write_fit(const StepFit& fit, const char* option, const std::string& folder) {
  const std::array files{FolderFile{"model.json", model_json(fit.model)},
                         FolderFile{"platform.json", platform_json(fit.platform)}};
  with_place(option, [&] { write_folder(folder, files); });
  spdlog::info("{0}/model.json and {0}/platform.json written", printable(folder, 400));
}

}  // namespace poet::cli
