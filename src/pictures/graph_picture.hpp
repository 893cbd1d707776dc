#pragma once

#include <string>

#include "poet/graph.hpp"

namespace poet::plot {

/// Writes the layer graph in Graphviz's DOT language: forward and backward nodes, with their sizes.
std::string to_dot(const Graph& graph, const std::string& name);

/// The layer graph drawn by Graphviz, or why it was not drawn.
struct GraphPicture {
  std::string svg;
  std::string problem;  ///< for a message; empty if there is a picture
};

/// Runs `dot` on what to_dot() made, and gives its picture our colours for dark screens. Never
/// throws: a run goes on without this picture.
GraphPicture draw_graph(const std::string& dot);

}  // namespace poet::plot
