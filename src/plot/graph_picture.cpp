#include "plot/graph_picture.hpp"

#include <string_view>

#include <fmt/format.h>

#include "io/files/run_filter.hpp"

namespace poet::plot {
namespace {

/// A built-in model takes a tenth of it.
constexpr Seconds kPatience = 20;

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

GraphPicture draw_graph(const std::string& dot_path) {
  FilterRun run = run_filter("dot", {"-Tsvg"}, dot_path, kPatience);
  switch (run.end) {
    case FilterRun::End::fine:
      return {.svg = with_style(std::move(run.out))};
    case FilterRun::End::missing:
      return {.problem = "there is no 'dot' (Debian: graphviz)"};
    case FilterRun::End::too_slow:
      return {.problem = fmt::format("'dot' took longer than {} s", kPatience)};
    case FilterRun::End::failed:
      break;
  }
  return {.problem = fmt::format("'dot' {}", run.message)};
}

}  // namespace poet::plot
