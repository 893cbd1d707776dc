#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/tables.hpp"
#include "base/text/printable.hpp"
#include "formats/write_list.hpp"
#include "poet/units.hpp"

namespace poet::cli {
namespace {

std::string exact_size(Bytes bytes) {
  return bytes < 1024 ? fmt::format("{} bytes", bytes)
                      : fmt::format("{} bytes ({})", bytes, format_bytes(bytes));
}

std::string sizes_of(const ModelReport& report) {
  if (report.platform) {
    return fmt::format("{} ({})", printable(report.platform->name),
                       printable(report.platform->source));
  }
  return report.element_bytes ? fmt::format("none; sizes at {} bytes an element, costs unknown",
                                            *report.element_bytes)
                              : "none; the model states its costs";
}

std::string info_summary(const ModelReport& report) {
  std::string text;
  const auto add = [&](const char* what, const std::string& value) {
    text += fmt::format("{:<12} {}\n", what, value);
  };
  const ModelInfo& model = report.model;
  add("model", fmt::format("{} ({}), batch size {}", printable(model.name), printable(model.source),
                           model.batch_size));
  add("platform", sizes_of(report));
  add("nodes",
      fmt::format("{}: {} forward, {} backward ({})", model.node_count, model.forward_node_count,
                  model.node_count - model.forward_node_count, model.backward));
  add("parameters", fmt::format("{}", report.parameter_count));
  add("FLOPs", fmt::format("{} to compute every node once", report.flop));
  if (report.baseline_energy_joules && report.baseline_runtime_seconds) {
    add("baseline", fmt::format("{} and {} to compute every node once",
                                format_joules(*report.baseline_energy_joules),
                                format_seconds(*report.baseline_runtime_seconds)));
  }
  add("peak RAM", exact_size(report.baseline_peak_ram_bytes) + " if everything is kept");
  add("working set",
      fmt::format("{}: no schedule needs less RAM, because of node {} ('{}', {})",
                  exact_size(report.working_set_bytes), report.working_set_node,
                  printable(report.working_set_node_name), printable(report.working_set_node_op)));
  return text;
}

}  // namespace

Outcome run_info(const Options& options, ProblemInfo& problem) {
  check_destination("--output", options.output);
  const Inputs inputs = load_inputs(options, "MODEL", problem);
  const ModelReport report = model_report(inputs.model, inputs.platform_or_null());
  note_about_chain(inputs.model);
  const bool has_costs = report.baseline_energy_joules.has_value();
  return {.document = options.json
                          ? info_json(report)
                          : info_summary(report) + "\n" + node_table(report.nodes, has_costs),
          .output = options.output};
}

}  // namespace poet::cli
