#include "io/dot.hpp"

#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "io/text/xml.hpp"

namespace poet {
namespace {

constexpr int kNone = -1;

/// Graphviz knows quotes and backslashes as its own, and entities like XML's.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : xml_characters(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
    if (c == '&') result += "amp;";
  }
  return result;
}

/// Two lines: which node, and what it is.
std::string label(const Node& node, int index) {
  return fmt::format("{} {}\\n{} {}", index, escaped(node.name), escaped(node.op),
                     format_bytes(node.bytes));
}

/// By backward node, the forward node beside which it is drawn: the last one that it reads, or
/// else the one beside which its own last input is.
std::vector<int> partners(const Graph& graph) {
  std::vector<int> partner(graph.nodes.size(), kNone);
  for (int j = graph.first_backward; j < graph.size(); ++j) {
    if (!graph.nodes[j].backward) continue;
    for (const int i : graph.nodes[j].inputs) {
      if (!graph.nodes[i].backward) partner[j] = i;
    }
    if (partner[j] == kNone && !graph.nodes[j].inputs.empty()) {
      partner[j] = partner[graph.nodes[j].inputs.back()];
    }
  }
  return partner;
}

}  // namespace

std::string to_dot(const Graph& graph, const std::string& name) {
  fmt::memory_buffer out;
  const auto put = [&](const std::string& line) {
    fmt::format_to(std::back_inserter(out), "{}\n", line);
  };
  put(fmt::format("digraph \"{}\" {{", escaped(name)));
  put("  rankdir=TB; ranksep=0.3;");
  put("  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=10];");
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.nodes[i];
    // Backward nodes differ in shape as well as in colour, for whoever cannot tell the colours.
    put(fmt::format("  n{} [label=\"{}\", {}];", i, label(node, i),
                    node.backward ? "class=backward, fillcolor=\"#fde0c5\", shape=oval"
                                  : "class=forward, fillcolor=\"#d7e8f7\""));
  }
  // The backward pass stands beside the forward pass and runs up. In one long column, Graphviz
  // takes minutes for a few hundred nodes, as every edge from the top to the bottom passes all the
  // ranks between.
  std::map<int, std::string> beside;
  const std::vector<int> partner = partners(graph);
  for (int j = 0; j < graph.size(); ++j) {
    const char* attributes = partner[j] == kNone ? "" : " [constraint=false]";
    for (const int i : graph.nodes[j].inputs) put(fmt::format("  n{} -> n{}{};", i, j, attributes));
    if (partner[j] != kNone) beside[partner[j]] += fmt::format(" n{};", j);
  }
  for (const auto& [forward, backward] : beside) {
    put(fmt::format("  {{rank=same; n{};{}}}", forward, backward));
  }
  put("}");
  return fmt::to_string(out);
}

}  // namespace poet
