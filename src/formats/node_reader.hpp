#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "formats/json/json_cursor.hpp"

namespace poet {

/// Nodes as people name them: by index, or by a name that one node has. The nodes, which have
/// names, must outlive this.
class NodeReader {
 public:
  template <typename Nodes>
  explicit NodeReader(const Nodes& nodes) {
    for (const auto& node : nodes) {
      const auto [at, is_new] = index_.emplace(node.name, static_cast<int>(names_.size()));
      if (!is_new) at->second = kAmbiguous;
      names_.push_back(node.name);
    }
  }

  /// An index is in [low, high]. Fails as a cursor does.
  int read(const JsonCursor& at, std::int64_t low, std::int64_t high) const {
    if (!at.is_string()) return static_cast<int>(at.integer(low, high));
    const std::string name = at.string();
    const auto found = index_.find(name);
    if (found == index_.end()) {
      at.fail(fmt::format("found '{}', which is not a node; expected a name or an index{}",
                          printable(name), did_you_mean(name, names_)));
    }
    if (found->second == kAmbiguous) {
      at.fail(
          fmt::format("found '{}', the name of several nodes; expected an index", printable(name)));
    }
    return found->second;
  }

 private:
  static constexpr int kAmbiguous = -1;

  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, int> index_;
};

}  // namespace poet
