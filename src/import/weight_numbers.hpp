#pragma once

#include <memory>
#include <string>
#include <vector>

#include "import/onnx_graph.hpp"
#include "poet/model.hpp"

namespace poet {

/// Parameters of a layer as float32, under the name that a run has for them.
struct KeptArray {
  std::string name;
  Shape shape;
  std::vector<float> values;
};

/// The numbers of a weight that a node only puts into another form: another shape or type, a
/// transposition, a part, or several weights side by side. None if the numbers of its inputs are
/// not kept, and for other nodes.
std::shared_ptr<const std::vector<float>> numbers_of_form(const OnnxGraph& graph,
                                                          const OnnxNode& node);

/// Rows and columns exchanged.
std::vector<float> transposed_matrix(const std::vector<float>& values, std::int64_t rows,
                                     std::int64_t columns);

}  // namespace poet
