// The command `info`: what a model comes to before any solve. It is the place to look after an
// `infeasible`, as it names the node that decides the least RAM. Without a platform there are no
// costs; sizes then rest on a width of elements, which the output states.

#include <memory>

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/load_subject.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/tables.hpp"
#include "base/text/printable.hpp"
#include "formats/write_list.hpp"
#include "poet/units.hpp"

namespace poet::cli {
namespace {

constexpr const char* kInfoHelp =
    R"(Without a platform there are sizes, parameters and FLOPs; with one, or if the model states
its costs, energy and time as well. Nothing is solved.

Exit status:
  0                               the figures were written
  2                               bad usage or input

Examples:
  $ poet-solve info resnet18_cifar --platform m4
      What training ResNet-18 takes on a Cortex-M4 if everything is kept in RAM.
  $ poet-solve info net.json --json | jq .working_set_bytes
      The RAM below which no schedule exists.)";

struct InfoArguments {
  ModelArguments model;
  std::string platform;
  bool json = false;
  std::string output;
};

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

ExitCode info(const InfoArguments& arguments, Session& session) {
  check_destination("--output", arguments.output);
  const Inputs inputs = load_inputs(arguments.model, arguments.platform, session.problem, "MODEL");
  const ModelReport report = model_report(inputs.model, inputs.platform_or_null());
  note_about_chain(inputs.model);
  const bool has_costs = report.baseline_energy_joules.has_value();
  return deliver(arguments.json ? info_json(report)
                                : info_summary(report) + "\n" + node_table(report.nodes, has_costs),
                 arguments.output);
}

Run add_info(CLI::App& app) {
  const auto arguments = std::make_shared<InfoArguments>();
  OptionGroup group(app);
  group.argument("MODEL", arguments->model.model, "built-in model, model file, or - for stdin");
  group.text("--platform", arguments->platform, "NAME|FILE",
             "built-in platform, platform file, or - for stdin");
  add_model_options(app, arguments->model.settings, "Options");
  add_network_options(app, arguments->model.network, "Of an ONNX network");
  group.flag("--json", arguments->json, "the figures as JSON");
  group.text("--output", arguments->output, "FILE", "write them there, whole or not at all");
  return [arguments](Session& session) { return info(*arguments, session); };
}

}  // namespace

extern const Command kInfo{
    .name = "info",
    .summary = "show what a model comes to, without a solve: sizes, FLOPs, least RAM",
    .footer = kInfoHelp,
    .add = add_info};

}  // namespace poet::cli
