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
  /// Gives the next index to a name. A name that is empty or taken has none: the index is used up
  /// all the same. Throws InputError at `place` for a name taken before.
  void add(const std::string& name, const std::string& place);

  /// Announces a name that a later node has, so that the error for a forward reference can call it
  /// that and not an unknown name.
  void announce(std::string_view name) { announced_.insert(name); }

  /// Indices of the named nodes, in this order. A name that is the node's own, a later node's, or
  /// nobody's is left out and goes to `errors` with the input's place.
  std::vector<int> indices(const std::vector<InputName>& inputs, std::string_view own_name,
                           InputErrors& errors) const;

 private:
  int index(const InputName& input, std::string_view own_name, bool suggest) const;

  int next_ = 0;
  std::map<std::string, int> index_;
  std::set<std::string_view> announced_;
};

}  // namespace poet
