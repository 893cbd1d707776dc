// The command `import`. The result is read again as a model file before it is written: the counts
// in the message come from the file that a later solve will read, and a document that its own
// reader refuses is never written. Reading the network is left to a process of its own
// (src/import), as libonnx crashes on some files. A solve takes ONNX files directly and by the same
// function, so that a model file is needed only by those who want to read or change what was
// imported.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "app/command.hpp"
#include "app/load_subject.hpp"
#include "app/terminal/deliver.hpp"
#include "arrays/write_arrays.hpp"
#include "base/files/files.hpp"
#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "formats/read_inputs.hpp"
#include "formats/read_step_log.hpp"
#include "formats/write_inputs.hpp"
#include "model/step_log.hpp"
#include "poet/error.hpp"
#include "poet/model.hpp"
#include "poet/units.hpp"
#include "problem/early_updates.hpp"
#include "step/training_step.hpp"

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
  $ poet-solve import step.jsonl --trace --output net.json
      A step that poet.torch or another program has measured.
  $ poet-solve import net.onnx --custom Einsum=200 --shape tokens=1,128 > net.json
      Extents that the file leaves open, and a layer for an op that has none.)";

/// Energies are times then: what a schedule adds is a share of both.
constexpr double kUsualWatts = 1;

constexpr std::size_t kMaxStepLogBytes = std::size_t{256} << 20;

struct ImportArguments {
  std::string file;
  ImportRequest network;
  std::string output;
  std::string parameters;  ///< a .npz file
  bool trace = false;      ///< the file is a log of a step
  std::optional<double> watts;
  std::optional<UpdatePlaces> updates;  ///< absent: early
};

/// Puts the updates of a step early, and says what keeps them from it.
void put_updates_early(ModelSpec& spec, const std::string& place) {
  const Model model = parse_model(model_json(spec), place);
  const EarlyUpdates early = early_updates(cost_graph(model, nullptr, 1, false), precedence(model));
  std::vector<MeasuredSpec> nodes;
  nodes.reserve(early.order.size());
  for (const int node : early.order) nodes.push_back(std::move(spec.nodes[node]));
  spec.nodes = std::move(nodes);
  constexpr int kFew = 2;  // the weights and the bias of a layer wait for one gradient
  if (early.waiting_count <= kFew || 2 * early.waiting_count <= early.change_count) return;
  spdlog::warn(
      "{} of {} updates wait for node '{}', which depends on many gradients, as clipping "
      "by a global norm does: all of them are in RAM until then",
      early.waiting_count, early.change_count, printable(model.nodes[early.awaited].name));
}

/// What a framework did becomes measured nodes, which need no layer and no op that we know.
ExitCode import_step(const ImportArguments& arguments) {
  if (!arguments.parameters.empty()) {
    throw InputError("--parameters-output", "found with --trace; a log has no weights");
  }
  const StepLog log = parse_step_log(read_file(arguments.file, kMaxStepLogBytes), arguments.file);
  LoggedStep step = step_of_log(log, arguments.watts.value_or(kUsualWatts));
  if (arguments.updates != UpdatePlaces::as_recorded) {
    put_updates_early(step.model, arguments.file);
  }
  const std::string document = model_json(step.model);
  const Model model = parse_model(document, arguments.file);
  spdlog::info("{}: {} nodes, {} of computing; the framework held {} at most",
               shown_source(arguments.file), model.nodes.size(), format_seconds(step.seconds),
               format_bytes(step.peak_bytes));
  const auto state = std::count_if(model.parameters.begin(), model.parameters.end(),
                                   [](const Parameters& each) { return each.is_state; });
  spdlog::info("{} pieces of state that the step changes order the nodes, as parameters do{}",
               state, state > 0 ? "" : "; a log from before state was recorded has none");
  if (log.step_seconds && *log.step_seconds > 0) {
    spdlog::info("a step that nobody records takes {}: its operations have {:.3g} % of it",
                 format_seconds(*log.step_seconds), 100 * step.seconds / *log.step_seconds);
  }
  return deliver(document, arguments.output);
}

/// Says so if what was imported does not train, or can be solved and neither run nor exported.
void warn_of_refusal(const Model& model, const std::string& document, const std::string& place) {
  try {
    static_cast<void>(with_training(model));
  } catch (const InputError& error) {
    spdlog::warn("{}", error.what());
  }
  InputErrors errors;
  const ModelSpec spec = read_model(document, place, errors);
  errors.throw_if_any();
  try {
    static_cast<void>(bind_step(spec, 1));
  } catch (const InputError& error) {
    spdlog::warn("{}: 'run' and 'export' will refuse the model: {}", shown_source(place),
                 error.what());
  }
}

// Warnings come first and the counts last, so that a reader sees what the counts leave out.
ExitCode import_network(const ImportArguments& arguments) {
  if (arguments.trace) return import_step(arguments);
  if (arguments.watts) throw InputError("--watts", "found without --trace");
  if (arguments.updates) throw InputError("--updates", "found without --trace");
  ImportRequest request = arguments.network;
  request.keep_numbers = !arguments.parameters.empty();
  const ImportedText imported = imported_network(request, arguments.file);
  const std::string& document = imported.document;
  const Model model = parse_model(document, arguments.file);
  warn_of_refusal(model, document, arguments.file);
  std::int64_t parameters = 0;
  int layers = 0;
  for (const ModelNode& node : model.nodes) {
    if (!node.backward) ++layers;
    parameters += node.parameter_count;
  }
  spdlog::info("{}: {} tensors in the forward pass, {} parameters", shown_source(arguments.file),
               layers, parameters);
  if (arguments.file != "-") {
    spdlog::info("'python3 -m poet.check {}' compares these layers with the network",
                 shown_source(arguments.file));
  }
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
  group.argument("NETWORK", arguments->file,
                 "an ONNX file, or with --trace the log of a training step, or - for stdin");
  add_network_options(app, arguments->network, "Options");
  group.flag("--trace", arguments->trace,
             "NETWORK is the log of a training step that another framework ran "
             "(docs/measured-steps.md): measured nodes are made of it");
  group.number<double>("--watts", arguments->watts, "W",
                       {.min = 1e-9, .max = 1e9, .expected = "a power from 1e-9 to 1e9 watts"},
                       "of a log: the power of computing, for operations that state no energy; 1 "
                       "if not given");
  group.choice("--updates", arguments->updates,
               "of a log: early, each update of parameters as soon as its gradient is there, which "
               "is usual; or as-recorded");
  group.text("--output", arguments->output, "FILE", "write the model there, whole or not at all");
  group.text(
      "--parameters-output", arguments->parameters, "FILE.npz",
      "write the weights of NETWORK there, for 'run --parameters' and 'export --parameters'");
  return [arguments](Session&) { return import_network(*arguments); };
}

}  // namespace

extern const Command kImport{
    .name = "import",
    .summary = "turn a network in an ONNX file, or a measured step, into a model file",
    .footer = kImportHelp,
    .add = add_import};

}  // namespace poet::cli
