// A model with other copies than its own. It is built anew from what was written, since a copy
// changes who reads a tensor last, and so what is computed in place. An order that was chosen stays
// the same order of all other nodes.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "model/exact/copy_nodes.hpp"
#include "model/model_spec.hpp"
#include "poet/error.hpp"
#include "problem/alignment.hpp"

namespace poet {
namespace {

const ModelSpec& spec_of(const Model& model) {
  if (model.spec != nullptr) return *model.spec;
  throw InputError(
      fmt::format("found '{}', whose graph is {}; copies need an exact model of "
                  "layers, with a backward pass",
                  printable(model.name),
                  model.backward == Backward::explicit_nodes ? "given node by node"
                  : model.backward == Backward::none         ? "a forward pass alone"
                                                             : "POET's chain"));
}

/// Sorts the names as the graph does.
Copies checked(const Model& model, const Copies& copies) {
  const std::vector<std::string> candidates = copyable_tensors(model, copies.mode);
  Copies sorted{.mode = copies.mode};
  for (const std::string& name : candidates) {
    const auto count = std::count(copies.tensors.begin(), copies.tensors.end(), name);
    if (count > 1) {
      throw InputError(fmt::format("found '{}' {} times, expected once", printable(name), count));
    }
    if (count == 1) sorted.tensors.push_back(name);
  }
  for (const std::string& name : copies.tensors) {
    if (std::find(candidates.begin(), candidates.end(), name) != candidates.end()) continue;
    throw InputError(
        fmt::format("found '{}', expected a tensor of the forward pass that gradients can read "
                    "from a smaller copy; info lists them",
                    printable(name)));
  }
  return sorted;
}

/// The chosen order of `from` for a model with other copies.
NodeOrder same_order(const Model& from, const Model& to) {
  std::map<std::string, int> place;
  std::map<int, int> copy;
  for (int k = 0; k < static_cast<int>(to.nodes.size()); ++k) {
    if (to.nodes[k].copy_of) {
      copy[*to.nodes[k].copy_of] = k;
    } else {
      place[to.nodes[k].name] = k;
    }
  }
  NodeOrder order;
  for (const ModelNode& node : from.nodes) {
    if (node.copy_of) continue;
    order.push_back(place.at(node.name));
    if (const auto found = copy.find(order.back()); found != copy.end()) {
      order.push_back(found->second);
    }
  }
  return order;
}

}  // namespace

std::vector<std::string> copyable_tensors(const Model& model, CopyMode mode) {
  ModelSpec spec = spec_of(model);
  spec.copies = {};
  InputErrors errors;
  const Draft draft = draft_exact(spec, model.batch_size, errors);
  errors.throw_if_any();
  return copy_candidates(draft, spec, mode, model.alignment);
}

// Of what was measured for each kind of layer (docs/copies.md), only copies of dropout cost
// accuracy: they have to be stated.
std::vector<std::string> copy_candidates(const Model& model, CopyMode mode) {
  std::vector<std::string> names = copyable_tensors(model, mode);
  for (const ModelNode& node : model.nodes) {
    if (node.op == "dropout") std::erase(names, node.name);
  }
  return names;
}

Model with_copies(const Model& model, const Copies& copies) {
  if (copies.tensors.empty() && model.copies.tensors.empty()) return model;
  ModelSpec spec = spec_of(model);
  spec.copies = copies.tensors.empty() ? Copies() : checked(model, copies);
  InputErrors errors;
  Model result = build_model(spec, model.batch_size, errors);
  errors.throw_if_any();
  result.source = model.source;
  result.sha256 = model.sha256;
  result.alignment = model.alignment;
  return model.order.empty() ? result : permuted(result, same_order(model, result));
}

}  // namespace poet
