#include "io/graph_digest.hpp"

#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/text/sha256.hpp"

namespace poet {

std::string graph_sha256(const Graph& graph) {
  fmt::memory_buffer text;
  for (const Node& node : graph.nodes) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {} {}\n", node.bytes,
                   node.runtime_seconds, node.energy_joules, node.page_in_energy_joules,
                   node.page_out_energy_joules, node.backward, fmt::join(node.inputs, ","));
  }
  return sha256_hex(fmt::to_string(text));
}

}  // namespace poet
