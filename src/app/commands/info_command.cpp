// The command `info`: what a model takes before any solve. It is the place to look after an
// `infeasible`, as it names the node that decides the least RAM. Without a platform there are no
// costs; sizes then rest on a width of elements, which the output states. Everything is by formulas
// and takes milliseconds, so that it can be asked for any model on any platform before a budget is
// chosen.

#include <memory>

#include "app/command.hpp"
#include "app/load_subject.hpp"
#include "app/terminal/deliver.hpp"
#include "formats/write_list.hpp"
#include "formats/write_tables.hpp"
#include "report/fields.hpp"

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
  bool no_paging = false;
  std::string output;
};

// The note about POET's chain belongs here as well: the figures are the chain's, and not the
// step's.
ExitCode info(const InfoArguments& arguments, Session& session) {
  ModelArguments asked = arguments.model;
  const std::optional<CopyMode> all = value_of<CopyMode>(asked.copies);
  if (all) asked.copies.clear();
  Inputs inputs = load_inputs(asked, arguments.platform, session.problem, "MODEL");
  if (all && *all != CopyMode::off) {
    inputs.model = with_place("--copies", [&] {
      return with_copies(inputs.model, {*all, copy_candidates(inputs.model, *all)});
    });
  }
  const ModelReport report = model_report(inputs.model, inputs.platform_or_null());
  note_about_chain(inputs.model);
  return deliver(arguments.json ? info_json(report) : info_text(report), arguments.output);
}

// MODEL is an argument and no option, as there is nothing to be asked without it.
Run add_info(CLI::App& app) {
  const auto arguments = std::make_shared<InfoArguments>();
  OptionGroup group(app);
  group.argument("MODEL", arguments->model.model, "built-in model, model file, or - for stdin");
  group.text("--platform", arguments->platform, "NAME|FILE",
             "built-in platform, platform file, or - for stdin");
  add_model_options(app, arguments->model.settings, "Options");
  group.text("--copies", arguments->model.copies, "off|exact|int8|FILE",
             "with copies of all tensors that may have one in a mode, or with the copies of FILE; "
             "a table shows what each saves");
  add_network_options(app, arguments->model.network, "Of an ONNX network",
                      &arguments->model.platform_sizes);
  group.flag("--no-paging", arguments->no_paging,
             "as for a solve; the figures here are the same with and without");
  group.flag("--json", arguments->json, "the figures as JSON");
  group.text("--output", arguments->output, "FILE", "write them there, whole or not at all");
  return [arguments](Session& session) { return info(*arguments, session); };
}

}  // namespace

extern const Command kInfo{
    .name = "info",
    .summary = "show sizes, FLOPs and the least RAM of a model, without a solve",
    .footer = kInfoHelp,
    .add = add_info};

}  // namespace poet::cli
