// The keys of a layer that state something about its tensor and not about its op. Each is checked
// where the layer's shapes are known, so that an error names what would fit.

#include "model/exact/layer_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

// A view is not a node, so nothing can be said of its tensor apart from the one below.
int checked_over(const DraftLayer& layer, const NamedTensor& input, const InputName& wanted) {
  const std::string name = printable(wanted.name);
  if (input.is_view || input.node < 0) {
    throw InputError(wanted.place,
                     fmt::format("found '{}', which is a {}, expected a tensor of its "
                                 "own",
                                 name, input.is_view ? "view" : "parameter"));
  }
  const std::int64_t own = element_count(layer.exact.nodes.back().shape);
  const std::int64_t other = element_count(input.shape);
  if (own != other) {
    throw InputError(
        wanted.place,
        fmt::format("found '{}' of {} elements, expected an input of as many bytes as the output, "
                    "which has {} elements",
                    name, other, own));
  }
  return input.node;
}

std::vector<std::vector<Shape>> shapes_of(const ExactLayer& exact) {
  std::vector<std::vector<Shape>> shapes;
  for (const ParameterGroup& group : exact.parameters) shapes.push_back(group.shapes);
  return shapes;
}

/// The table of an embedding and the matrix of a linear layer are of the same shape, and language
/// models share them.
std::string_view sharing_kind(std::string_view op) {
  return op == "embedding" ? "linear" : op;
}

}  // namespace

// A layer's own sizes go before its model's, and what neither of them states is left to the
// platform.
ElementBytes sizes_of(const ModelSpec& spec, const LayerSpec& layer) {
  const ElementBytes& own = layer.element_bytes;
  const ElementBytes& all = spec.element_bytes;
  return {.activations = own.activations ? own.activations : all.activations,
          .gradients = own.gradients ? own.gradients : all.gradients,
          .parameters = own.parameters ? own.parameters : all.parameters};
}

void check_tensor_options(const Draft& draft, const DraftLayer& layer) {
  const LayerSpec& spec = *layer.spec;
  const bool is_plain = spec.recompute && spec.page && spec.bank.empty() &&
                        spec.workspace_bytes == 0 && !spec.in_place && !spec.in_place_over &&
                        spec.copy == CopyRule::chosen;
  if (is_plain || !(layer.exact.view || layer.exact.is_parameter)) return;
  if (layer.exact.is_parameter) {
    throw InputError(spec.place, "found an attribute of a computation, which a parameter is not");
  }
  const NamedTensor& below = layer.inputs.front();
  throw InputError(
      spec.place,
      fmt::format("found an attribute of a tensor, but '{}' is a view of '{}'; expected it there",
                  printable(spec.name),
                  printable(below.node < 0 ? draft.parameters[below.parameters].name
                                           : draft.model.nodes[below.node].name)));
}

bool may_have_int8_weights(std::string_view op) {
  return op == "conv1d" || op == "conv2d" || op == "linear" || op == "linear_relu";
}

void check_int8_weights(const DraftLayer& layer) {
  const LayerSpec& spec = *layer.spec;
  if (spec.frozen_weights == FrozenWeights::float32) return;
  const auto fail = [&](const std::string& what) {
    throw InputError(spec.place, "\"frozen_weights\": " + what);
  };
  if (!may_have_int8_weights(spec.op)) {
    fail(
        fmt::format("found for the op {}; expected conv1d, conv2d, linear or linear_relu, whose "
                    "kernels read weights of one byte",
                    spec.op));
  }
  if (spec.trainable) {
    fail(
        "found in a layer that is trained, which takes steps of less than a byte; expected "
        "\"trainable\": false beside it");
  }
  if (spec.weights) fail("found beside \"weights\"; expected weights of the layer's own");
}

// A forward pass reads parameters once, so that a file for a training step means the same there
// without a copy.
bool has_copied_parameters(const ModelSpec& model, const DraftLayer& layer) {
  const LayerSpec& spec = *layer.spec;
  if (spec.frozen_parameters == FrozenParameters::in_place) return false;
  const auto fail = [&](const std::string& what) {
    throw InputError(spec.place, "\"frozen_parameters\": " + what);
  };
  if (spec.weights) {
    fail("found beside \"weights\"; expected it in the layer that has the parameters");
  }
  const std::vector<ParameterGroup>& groups = layer.exact.parameters;
  if (groups.empty()) {
    fail(fmt::format("found for the op {}, which has no parameters; expected none", spec.op));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!spec.trainable || !trains(layer.exact, static_cast<int>(g))) continue;
    fail(
        "found in a layer that is trained, whose parameters are in RAM; expected \"trainable\": "
        "false beside it");
  }
  if (spec.frozen_weights == FrozenWeights::int8) {
    fail(
        "found beside \"frozen_weights\": \"int8\"; expected one of them, since weights of one "
        "byte are read in place");
  }
  if (model.backward == Backward::exact) return true;
  if (!model.forward_alone) {
    fail(
        "found in a file of a forward pass, which reads each parameter once; expected it with "
        "\"backward\": \"exact\"");
  }
  return false;
}

// Equal shapes are enough: which of the two layers came first decides only whose name they have.
void share_parameters(Draft& draft, DraftLayer& layer, int owner) {
  const LayerSpec& spec = *layer.spec;
  const InputName& wanted = *spec.weights;
  if (layer.exact.parameters.empty()) {
    throw InputError(wanted.place, fmt::format("found it for the op {}, which has no parameters; "
                                               "expected none",
                                               spec.op));
  }
  if (owner < 0) {
    throw InputError(wanted.place, fmt::format("found '{}', expected the name of an earlier layer",
                                               printable(wanted.name)));
  }
  const DraftLayer& other = draft.layers[owner];
  if (sharing_kind(other.spec->op) != sharing_kind(spec.op) ||
      shapes_of(other.exact) != shapes_of(layer.exact)) {
    throw InputError(wanted.place,
                     fmt::format("found '{}' ({}), expected a layer of the op {} with parameters "
                                 "of the same shapes",
                                 printable(wanted.name), other.spec->op, spec.op));
  }
  if (other.spec->frozen_weights != FrozenWeights::float32) {
    throw InputError(wanted.place,
                     fmt::format("found '{}', whose weights are int8; expected a layer "
                                 "without \"frozen_weights\"",
                                 printable(wanted.name)));
  }
  layer.parameters = other.parameters;
  for (const int group : layer.parameters) ++draft.parameters[group].readers;
}

// True allows every input with a tensor of its own, and a name allows one input and no other.
std::vector<int> stated_in_place(const DraftLayer& layer) {
  const LayerSpec& spec = *layer.spec;
  std::vector<int> allowed;
  if (spec.in_place == true) {
    for (const NamedTensor& input : layer.inputs) {
      if (input.node >= 0) allowed.push_back(input.node);
    }
  }
  if (!spec.in_place_over) return allowed;
  const InputName& wanted = *spec.in_place_over;
  const auto at = std::find_if(spec.inputs.begin(), spec.inputs.end(),
                               [&](const InputName& input) { return input.name == wanted.name; });
  if (at == spec.inputs.end()) {
    throw InputError(wanted.place, fmt::format("found '{}', expected one of the layer's inputs",
                                               printable(wanted.name)));
  }
  return {checked_over(layer, layer.inputs[at - spec.inputs.begin()], wanted)};
}

}  // namespace poet
