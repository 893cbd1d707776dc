// The layer graph, as text for Graphviz and as the picture that Graphviz makes of it. Laying out a
// graph is a field of its own, so this is the only picture that another program draws. Linking its
// library would make everybody install it; a run of `dot` is optional, and its time can be limited.
// Nothing else in a run depends on this picture: without Graphviz there is a note and the text.

#include "pictures/graph_picture.hpp"

#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/process/run_filter.hpp"
#include "base/text/escape.hpp"

namespace poet::plot {
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

/// Ten times what the largest built-in model takes.
constexpr Seconds kMaxSeconds = 20;

constexpr std::string_view kStyle = R"(<style>
svg { max-width: 100%; height: auto }
@media screen and (prefers-color-scheme: dark) {
  svg { background: #15181c }
  .graph > polygon { fill: #15181c }
  text { fill: #e6edf3 }
  .node path, .node polygon, .node ellipse { stroke: #9aa4af }
  .forward path { fill: #1d3b57 }
  .backward ellipse { fill: #573a1d }
  .edge path { stroke: #9aa4af }
  .edge polygon { fill: #9aa4af; stroke: #9aa4af }
}
</style>
)";

/// Behind the opening tag of the drawing. Names are escaped, so the first `<svg` is that tag.
std::string with_style(std::string svg) {
  const std::size_t tag = svg.find("<svg");
  const std::size_t end = tag == std::string::npos ? tag : svg.find(">\n", tag);
  if (end != std::string::npos) svg.insert(end + 2, kStyle);
  return svg;
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
    // Backward nodes differ in shape as well as in colour: not every reader sees the colours.
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

GraphPicture draw_graph(const std::string& dot) {
  FilterRun run = run_filter("dot", {"-Tsvg"}, dot, kMaxSeconds);
  if (run.missing) return {.problem = "there is no 'dot' (Debian: graphviz)"};
  if (run.problem.empty() &&
      (run.out.find("<svg") == std::string::npos || run.out.find("</svg>") == std::string::npos)) {
    run.problem = "wrote no SVG";
  }
  if (!run.problem.empty()) return {.problem = fmt::format("'dot' {}", run.problem)};
  return {.svg = with_style(std::move(run.out))};
}

}  // namespace poet::plot
