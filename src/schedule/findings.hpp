#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "poet/simulate.hpp"

namespace poet {

/// More violations than this are counted, not listed: nobody reads them, and a garbage file
/// must not fill the memory.
inline constexpr std::size_t kMaxListedViolations = 1000;

/// `57 (block3.conv1)`, or `57` for an index outside the graph or a node without a name.
std::string node_label(const Graph& graph, int node);

/// Collects violations up to kMaxListedViolations, then says how many more there were.
class Findings {
 public:
  /// A violation in one stage; the message is headed by it.
  void add(Rule rule, int stage, int node, const std::string& message);

  /// A violation of the schedule as a whole.
  void add(Rule rule, const std::string& message);

  /// The list, in the order of discovery, closed by a note where it was cut.
  std::vector<Violation> take();

 private:
  void push(Violation violation);

  std::vector<Violation> list_;
  std::size_t unlisted_ = 0;
};

}  // namespace poet
