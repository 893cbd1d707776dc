#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_spec.hpp"

namespace poet {

/// Turns the names of inputs into indices of nodes while a graph is built in order.
class NodeNames {
 public:
  /// Gives the next index to a name. Throws InputError at `place` for a name taken before.
  void add(const std::string& name, const std::string& place);

  /// Announces a name that a later node has, so that the error for a forward reference can call it
  /// that and not an unknown name.
  void announce(std::string_view name) { announced_.insert(name); }

  /// Indices of the named nodes, ascending, each once. Throws InputError at the input's place
  /// for a name that is the node's own, a later node's, or nobody's.
  std::vector<int> resolve(const std::vector<InputName>& inputs, std::string_view own_name) const;

  /// Index of a name that was added, for inputs whose order matters.
  int index(const InputName& input, std::string_view own_name) const;

  bool contains(const std::string& name) const { return index_.contains(name); }

 private:
  std::map<std::string, int> index_;
  std::set<std::string_view> announced_;
};

}  // namespace poet
