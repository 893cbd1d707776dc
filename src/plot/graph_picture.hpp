#pragma once

#include <string>

namespace poet::plot {

/// The layer graph drawn by Graphviz, or why there is no picture.
struct GraphPicture {
  std::string svg;
  std::string problem;  ///< for people; empty where there is a picture
};

/// Runs `dot` on a DOT file of ours and gives its picture our colours for dark screens.
GraphPicture draw_graph(const std::string& dot_path);

}  // namespace poet::plot
