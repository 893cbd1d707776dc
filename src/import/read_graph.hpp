#pragma once

#include <map>
#include <string>

#include <onnx/onnx_pb.h>

#include "import/onnx_graph.hpp"

namespace poet {

/// How to read a graph whose file leaves extents open.
struct OpenExtents {
  std::int64_t batch = 1;               ///< for a first extent that the file leaves open
  std::map<std::string, Shape> shapes;  ///< of inputs that a user stated
  /// Of inputs that a user stated: they are constants with this number in each element.
  std::map<std::string, double> numbers{};
  bool keep_numbers = false;  ///< weights have their numbers: OnnxTensor::numbers
};

/// A checked model as a graph with all its shapes; arithmetic on shapes is done. Inputs without
/// numbers that stand where a layer expects weights, and all that follow the first of them, are
/// weights: so PyTorch writes a file with export_params=False. Throws InputError, without a place,
/// that names every extent that is not known.
OnnxGraph read_graph(const onnx::ModelProto& model, const OpenExtents& extents);

}  // namespace poet
