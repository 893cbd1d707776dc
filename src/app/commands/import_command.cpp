// The command `import`. The result is read again as a model file before it is written: the counts
// in the message come from the file that a later solve will read, and a document that its own
// reader refuses is never written. Reading the network is left to a process of its own
// (src/import), as libonnx crashes on some files. A solve takes ONNX files directly and by the same
// function, so that a model file is needed only by those who want to read or change what was
// imported.

#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "app/command.hpp"
#include "app/load_subject.hpp"
#include "app/terminal/deliver.hpp"
#include "arrays/write_arrays.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/model.hpp"

namespace poet::cli {
namespace {

constexpr const char* kImportHelp =
    R"(The result is a model file: a list of layers to read, compare and edit. Weights may be missing
in NETWORK, and none are in the result; --parameters-output keeps those that are there.
docs/import.md has the export calls of PyTorch and Keras, and the ops that layers stand for.

Exit status:
  0                               imported; the model file was written
  2                               bad usage or input, ops that no layer stands for, or a build
                                  without ONNX; nothing was written

Examples:
  $ poet-solve import net.onnx --output net.json
  $ poet-solve import net.onnx --trainable last:2 --loss cross_entropy --output tuned.json
  $ poet-solve import net.onnx --custom Einsum=200 --shape tokens=1,128 > net.json
      Extents that the file leaves open, and a layer for an op that there is none for.)";

struct ImportArguments {
  std::string file;
  ImportRequest network;
  std::string output;
  std::string parameters;  ///< a .npz file
};

// Warnings come first and the counts last, so that a reader sees what the counts leave out.
ExitCode import_network(const ImportArguments& arguments) {
  check_destination("--output", arguments.output);
  std::error_code error;
  // The model file would replace the network.
  if (std::filesystem::equivalent(arguments.file, arguments.output, error)) {
    throw InputError("--output", "found the file of NETWORK; expected another one");
  }
  check_destination("--parameters-output", arguments.parameters);
  if (!arguments.parameters.empty() &&
      (std::filesystem::equivalent(arguments.file, arguments.parameters, error) ||
       (!arguments.output.empty() && is_same_file(arguments.parameters, arguments.output)))) {
    throw InputError("--parameters-output",
                     "found the file of NETWORK or of --output; expected another one");
  }
  ImportRequest request = arguments.network;
  request.keep_numbers = !arguments.parameters.empty();
  const ImportedText imported = imported_network(request, arguments.file);
  const std::string& document = imported.document;
  const Model model = parse_model(document, arguments.file);
  std::int64_t parameters = 0;
  int layers = 0;
  for (const ModelNode& node : model.nodes) {
    if (!node.backward) ++layers;
    parameters += node.parameter_count;
  }
  spdlog::info("{}: {} tensors in the forward pass, {} parameters", shown_source(arguments.file),
               layers, parameters);
  if (request.keep_numbers) {
    std::vector<ArrayToWrite> arrays;
    for (const KeptArray& each : imported.parameters) {
      arrays.push_back({.name = each.name, .shape = each.shape, .values = each.values});
    }
    with_place("--parameters-output", [&] { write_file(arguments.parameters, npz_bytes(arrays)); });
  }
  return deliver(document, arguments.output);
}

Run add_import(CLI::App& app) {
  const auto arguments = std::make_shared<ImportArguments>();
  OptionGroup group(app);
  group.argument("NETWORK", arguments->file, "an ONNX file, or - for stdin");
  add_network_options(app, arguments->network, "Options");
  group.text("--output", arguments->output, "FILE", "write the model there, whole or not at all");
  group.text(
      "--parameters-output", arguments->parameters, "FILE.npz",
      "write the weights of NETWORK there, for 'run --parameters' and 'export --parameters'");
  return [arguments](Session&) { return import_network(*arguments); };
}

}  // namespace

extern const Command kImport{.name = "import",
                             .summary = "turn a network in an ONNX file into a model file",
                             .footer = kImportHelp,
                             .add = add_import};

}  // namespace poet::cli
