#include "io/dot.hpp"

#include <iterator>

#include <fmt/format.h>

namespace poet {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// Two lines: which node, and what it is.
std::string label(const Node& node, int index) {
  return fmt::format("{} {}\\n{} {}", index, escaped(node.name), escaped(node.op),
                     format_bytes(node.bytes));
}

}  // namespace

std::string to_dot(const Graph& graph, const std::string& name) {
  fmt::memory_buffer out;
  const auto put = [&](const std::string& line) {
    fmt::format_to(std::back_inserter(out), "{}\n", line);
  };
  put(fmt::format("digraph \"{}\" {{", escaped(name)));
  put("  rankdir=TB;");
  put("  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=10];");
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.nodes[i];
    // Backward nodes differ in shape as well as in colour, for whoever cannot tell the colours.
    put(fmt::format("  n{} [label=\"{}\", {}];", i, label(node, i),
                    node.backward ? "fillcolor=\"#fde0c5\", shape=oval" : "fillcolor=\"#d7e8f7\""));
  }
  for (int j = 0; j < graph.size(); ++j) {
    for (const int i : graph.nodes[j].inputs) put(fmt::format("  n{} -> n{};", i, j));
  }
  put("}");
  return fmt::to_string(out);
}

}  // namespace poet
