// POET's release builds its training graphs this way, and its published figures are of these
// graphs, so this is the default: results stay comparable. It is an approximation. A real backward
// pass follows the branches, keeps separate gradients for parameters and inputs, and does not read
// the output of most layers. Whoever needs that gives the graph node by node
// (docs/model-format.md).

#include "model/backward/backward.hpp"

#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/model_spec.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

// Names must be unique, and a layer may itself be called `grad(x)`: then the gradient gets as many
// apostrophes as it needs.
std::string free_name(std::string name, std::set<std::string>& taken) {
  while (!taken.insert(name).second) name += '\'';
  return name;
}

}  // namespace

void append_poet_chain(Model& model) {
  const int forward = static_cast<int>(model.nodes.size());
  if (model.nodes.size() * 2 > kMaxNodes + 1) {
    throw InputError(fmt::format("{} layers make more than {} nodes with their backward pass",
                                 forward, kMaxNodes));
  }
  std::set<std::string> taken;
  for (const ModelNode& node : model.nodes) taken.insert(node.name);
  for (int n = forward - 1; n >= 1; --n) {
    const ModelNode& later = model.nodes[n];
    ModelNode gradient{
        .name = free_name(fmt::format("grad({})", later.name), taken),
        .op = "gradient",
        .out_shape = later.out_shape,
        .parameter_count = 0,
        .flop = checked_product({2, model.nodes[n - 1].flop}),
        .inputs = {n - 1, n},
        .backward = true,
        .measured = {},
    };
    const int previous = static_cast<int>(model.nodes.size()) - 1;
    if (previous >= forward) gradient.inputs.push_back(previous);
    model.nodes.push_back(std::move(gradient));
  }
}

}  // namespace poet
