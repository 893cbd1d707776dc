#pragma once

#include <string>

#include "import/onnx_graph.hpp"

namespace poet {

/// A name without control characters and bytes that are not UTF-8.
std::string clean_name(const std::string& name);

/// The name of the layer of a node: `/layer1/layer1.0/conv1/Conv` becomes `layer1.0.conv1`, as
/// PyTorch calls the module.
std::string name_of_node(const OnnxNode& node);

}  // namespace poet
