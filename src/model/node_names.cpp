// Names of inputs while nodes are added one by one. Only earlier nodes can be named, which makes
// every graph acyclic and topological without a search for cycles; the price is that a forward
// reference looks like a slip. Names are announced beforehand, so that the error can tell the two
// apart.

#include "model/node_names.hpp"

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "poet/error.hpp"

namespace poet {

// An index is used up even without a name, so that it stays the index of the node.
void NodeNames::add(const std::string& name, const std::string& place) {
  const int own = next_++;
  if (name.empty()) return;
  const auto [entry, is_new] = index_.emplace(name, own);
  if (is_new) return;
  throw InputError(place,
                   fmt::format("found the name '{}' of node {} again, expected one of its own",
                               printable(name), entry->second));
}

int NodeNames::index(const InputName& input, std::string_view own_name, bool suggest) const {
  const auto entry = index_.find(input.name);
  if (entry != index_.end()) return entry->second;
  const std::string name = printable(input.name);
  if (input.name == own_name) {
    throw InputError(input.place, fmt::format("found '{}' as its own input, expected an earlier "
                                              "node (nodes must be in topological order)",
                                              name));
  }
  if (announced_.contains(input.name)) {
    throw InputError(input.place,
                     fmt::format("found '{}', which comes later, expected an earlier node (nodes "
                                 "must be in topological order, without cycles)",
                                 name));
  }
  std::vector<std::string_view> known;
  if (suggest) {
    for (const auto& [candidate, index] : index_) known.emplace_back(candidate);
  }
  throw InputError(input.place, fmt::format("found '{}', which names no node, expected an earlier "
                                            "node{}",
                                            name, did_you_mean(input.name, known)));
}

std::vector<int> NodeNames::indices(const std::vector<InputName>& inputs, std::string_view own_name,
                                    InputErrors& errors) const {
  std::vector<int> result;
  result.reserve(inputs.size());
  for (const InputName& input : inputs) {
    // Comparing with every name takes time, which an error that is not shown is not worth.
    errors.collect([&] { result.push_back(index(input, own_name, !errors.full())); });
  }
  return result;
}

}  // namespace poet
