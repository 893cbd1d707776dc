// An import: onnx_file parses and checks, read_graph finds all shapes, fuse joins what an export
// took apart, to_layers makes layers. It ends with a test: the layers are built into a graph, as
// reading the model file would do, so that `import` writes no file that cannot be read. Everything
// is decided by the file and the request. What a file leaves open and nobody stated gets the usual
// meaning and a note, since an import that guesses in silence gives a schedule for another network.

#include "import/import.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "import/fuse.hpp"
#include "import/onnx_file.hpp"
#include "import/onnx_inputs.hpp"
#include "import/read_graph.hpp"
#include "import/to_layers.hpp"
#include "import/train_layers.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// The inputs of a file, without those that a user gave a number.
std::vector<OnnxInput> inputs_left(const onnx::ModelProto& model,
                                   const std::map<std::string, Shape>& shapes,
                                   const ImportRequest& request) {
  std::vector<OnnxInput> inputs = data_inputs(model, shapes);
  std::erase_if(inputs,
                [&](const OnnxInput& input) { return request.numbers.contains(input.name); });
  return inputs;
}

void check_numbers(const onnx::ModelProto& model, const ImportRequest& request) {
  const std::set<std::string> stored = stored_names(model.graph());
  std::vector<std::string_view> names;
  for (const auto& input : model.graph().input()) {
    if (!stored.contains(input.name())) names.emplace_back(input.name());
  }
  for (const auto& [name, number] : request.numbers) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw InputError(fmt::format("--set: no input has the name '{}'{}", printable(name),
                                 did_you_mean(name, names)));
  }
}

/// The shapes that a user stated, by the names of the file's inputs.
std::map<std::string, Shape> stated_shapes(const onnx::ModelProto& model,
                                           const ImportRequest& request) {
  std::map<std::string, Shape> shapes;
  const std::vector<OnnxInput> inputs = inputs_left(model, {}, request);
  if (inputs.empty()) {
    throw InputError(
        request.numbers.empty()
            ? "the graph has no inputs; expected one at least, which a training step is given"
            : "--set: the graph has no other inputs; expected one at least that a training step is "
              "given");
  }
  for (const auto& [name, shape] : request.shapes) {
    const std::string known = name.empty() ? inputs.front().name : name;
    std::vector<std::string_view> names;
    names.reserve(inputs.size());
    for (const OnnxInput& input : inputs) names.emplace_back(input.name);
    if (std::find(names.begin(), names.end(), known) == names.end()) {
      throw InputError(fmt::format("--shape: no input has the name '{}'{}", printable(known),
                                   did_you_mean(known, names)));
    }
    shapes[known] = shape;
  }
  return shapes;
}

/// One reading of the file, with all extents known.
/// Notes are cleared first: of two readings only the last ones count.
ModelSpec read_once(const onnx::ModelProto& model, const std::string& place,
                    const OpenExtents& extents, const ImportRequest& request,
                    ImportedModel& imported) {
  std::vector<std::string>& notes = imported.notes;
  notes.clear();
  OnnxGraph graph = read_graph(model, extents);
  // Exporters name every graph alike.
  graph.name = std::filesystem::path(shown_source(place)).stem().string();
  if (graph.outputs.empty()) throw InputError("the graph has no outputs; expected one");
  // Whole numbers, such as the class of the largest output, have no loss.
  const auto first = std::find_if(graph.outputs.begin(), graph.outputs.end(),
                                  [&](int output) { return !graph.at(output).is_integer; });
  if (first != graph.outputs.end()) std::iter_swap(graph.outputs.begin(), first);
  if (graph.outputs.size() > 1) {
    notes.push_back(
        fmt::format("the loss is computed from the output '{}'; the other {} {} left "
                    "out",
                    printable(graph.at(graph.outputs[0]).name), graph.outputs.size() - 1,
                    graph.outputs.size() == 2 ? "is" : "are"));
    graph.outputs.resize(1);
  }
  fuse(graph, notes);
  return to_layers(std::move(graph), request, notes, imported.parameters);
}

/// An open batch is found by two readings, with a batch of 2 and of 3. Symbolic extents would say
/// more, but all arithmetic on shapes would have to carry them.
ModelSpec read_any_batch(const onnx::ModelProto& model, const std::string& place,
                         const ImportRequest& request, ImportedModel& imported) {
  check_numbers(model, request);
  const std::map<std::string, Shape> shapes = stated_shapes(model, request);
  const std::vector<OnnxInput> inputs = inputs_left(model, shapes, request);
  const bool has_open = std::any_of(inputs.begin(), inputs.end(),
                                    [](const OnnxInput& input) { return input.has_open_batch; });
  const auto with_batch = [&](std::int64_t batch) {
    return read_once(model, place,
                     {.batch = batch,
                      .shapes = shapes,
                      .numbers = request.numbers,
                      .keep_numbers = request.keep_numbers},
                     request, imported);
  };
  if (!has_open) return with_batch(1);
  ModelSpec first = with_batch(kTryBatches[0]);
  std::optional<ModelSpec> joined = with_open_batch(std::move(first), with_batch(kTryBatches[1]));
  if (joined) return std::move(*joined);
  ModelSpec single = with_batch(1);
  imported.notes.emplace_back(
      "the batch is fixed at one sample: some layer has it in another extent than the first");
  return single;
}

/// Everything of a model that reading its file would find.
void check_layers(ModelSpec& spec, const std::string& place) {
  spec.place = place;
  for (InputSpec& input : spec.inputs)
    input.place = fmt::format("{}: input '{}'", place, input.name);
  for (LayerSpec& layer : spec.layers) {
    layer.place = place;
    for (InputName& input : layer.inputs) input.place = place;
    if (layer.weights) layer.weights->place = place;
  }
  InputErrors errors;
  static_cast<void>(build_model(spec, 1, errors));
  errors.throw_if_any();
}

}  // namespace

void require_onnx(const std::string& /*place*/) {}

/// What libonnx throws is about the file. A lack of memory goes on to the process around this one,
/// which knows its limit.
ImportedModel import_onnx(std::string_view bytes, const std::string& place,
                          const ImportRequest& request) {
  const std::string shown = shown_source(place);
  ImportedModel imported;
  try {
    const onnx::ModelProto model = parse_onnx(bytes);
    imported.spec = read_any_batch(model, place, request, imported);
    choose_trainable(imported.spec, request.trainable);
    if (request.frozen_weights == FrozenWeights::int8) keep_frozen_as_int8(imported.spec);
    if (request.frozen_parameters == FrozenParameters::copied) copy_frozen(imported.spec);
  } catch (const InputError& error) {
    throw in_place(shown, error);
  } catch (const InternalError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const std::string message = error.what();
    throw InputError(
        shown, fmt::format("libonnx fails: {}; expected an ONNX model as an exporter writes it",
                           printable(message.substr(0, message.find('\n')), 300)));
  }
  check_layers(imported.spec, shown);
  return imported;
}

}  // namespace poet
