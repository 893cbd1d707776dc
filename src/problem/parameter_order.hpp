#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "poet/order.hpp"

namespace poet {

/// Collects pairs for what has names of its own and changes during a step. Its readers come
/// before the first change, as make_graph() asks of the order of a file, and changes keep their
/// order: each of them builds on the last. Nodes are told in the order of the file. The names must
/// outlive this.
struct ParameterOrder {
  Precedence pairs;

  void read(int node, const std::vector<std::string>& names) {
    for (const std::string& name : names) readers_[name].push_back(node);
  }

  void change(int node, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const auto [last, is_first] = last_change_.try_emplace(name, node);
      if (is_first) {
        for (const int reader : readers_[name]) pairs.emplace_back(reader, node);
      } else {
        pairs.emplace_back(std::exchange(last->second, node), node);
      }
    }
  }

 private:
  std::map<std::string_view, std::vector<int>> readers_;
  std::map<std::string_view, int> last_change_;
};

}  // namespace poet
