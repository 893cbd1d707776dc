#include "app/options/command_syntax.hpp"

namespace poet::cli {
namespace {

constexpr const char* kInfoFooter =
    "Without a platform there are sizes, parameters and FLOPs; with one, or if the model states\n"
    "its costs, energy and time as well. Nothing is solved.\n"
    "\n"
    "Exit status:\n"
    "  0                               the figures were written\n"
    "  2                               bad usage or input\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve info resnet18_cifar --platform m4\n"
    "      What training ResNet-18 takes on a Cortex-M4 if everything is kept in RAM.\n"
    "  $ poet-solve info net.json --json | jq .working_set_bytes\n"
    "      The RAM below which no schedule exists.";

void add_info_options(CLI::App& app, Options& options) {
  OptionGroup group(app);
  group.argument("MODEL", options.model, "built-in model, model file, or - for stdin");
  group.text("--platform", options.platform, "NAME|FILE",
             "built-in platform, platform file, or - for stdin");
  add_model_options(app, options, "Options");
  add_network_options(app, options, "Of an ONNX network");
  group.flag("--json", options.json, "the figures as JSON");
  group.text("--output", options.output, "FILE", "write them there, whole or not at all");
}

}  // namespace

const CommandSyntax kInfoSyntax{
    .command = Command::info,
    .name = "info",
    .summary = "show what a model comes to, without a solve: sizes, FLOPs, least RAM",
    .footer = kInfoFooter,
    .add_options = add_info_options,
    .error_document = false};

}  // namespace poet::cli
