// The command that makes a model file of an ONNX file, and the options that it shares with others.
#include "app/options/command_syntax.hpp"

namespace poet::cli {
namespace {

constexpr const char* kImportFooter =
    "The result is a model file: a list of layers to read, compare and edit. Weights may be "
    "missing\n"
    "in NETWORK, and none are in the result. docs/import.md has the export calls of PyTorch and\n"
    "Keras, and the ops that layers stand for.\n"
    "\n"
    "Exit status:\n"
    "  0                               imported; the model file was written\n"
    "  2                               bad usage or input, ops that no layer stands for, or a "
    "build\n"
    "                                  without ONNX; nothing was written\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve import net.onnx --output net.json\n"
    "  $ poet-solve import net.onnx --trainable last:2 --loss cross_entropy --output tuned.json\n"
    "  $ poet-solve import net.onnx --custom Einsum=200 --shape tokens=1,128 > net.json\n"
    "      Extents that the file leaves open, and a layer for an op that there is none for.";

void add_import_command(CLI::App& app, Options& options) {
  OptionGroup group(app);
  group.argument("NETWORK", options.input_file, "an ONNX file, or - for stdin");
  add_network_options(app, options, "Options");
  group.text("--output", options.output, "FILE", "write the model there, whole or not at all");
}

}  // namespace

void add_network_options(CLI::App& app, Options& options, const char* heading) {
  OptionGroup group(app, heading);
  NetworkArguments& network = options.network;
  group
      .text("--loss", network.loss, "LOSS",
            "what an ONNX network is trained for: cross_entropy or mse; without, cross_entropy for "
            "an output of samples and classes, else mse")
      ->check(one_of({"cross_entropy", "mse"}));
  group.text("--trainable", network.trainable, "WHICH",
             "the layers of an ONNX network that train: all (the default), last:N, or a pattern of "
             "names such as 'head.*'");
  group.repeated("--custom", network.custom, "OP=FLOPS",
                 "a layer of the op custom for each node of an ONNX op, with these FLOPs for an "
                 "element of its output");
  group.repeated("--shape", network.shapes, "[NAME=]N,N...",
                 "the extents of an input of an ONNX network, such as 1,3,224,224; without a name, "
                 "of the first");
}

const CommandSyntax kImportSyntax{.command = Command::import_network,
                                  .name = "import",
                                  .summary = "turn a network in an ONNX file into a model file",
                                  .footer = kImportFooter,
                                  .add_options = add_import_command,
                                  .error_document = false};

}  // namespace poet::cli
