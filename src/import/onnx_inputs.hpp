#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "poet/model.hpp"

namespace poet {

// What of a file's inputs is data and what is weights.

/// The names of inputs that a run is given, and whether their first extent is open.
struct OnnxInput {
  std::string name;
  bool has_open_batch = false;
};
std::vector<OnnxInput> data_inputs(const onnx::ModelProto& model,
                                   const std::map<std::string, Shape>& shapes);

/// The same inputs in the file, whether their extents are open or not.
std::vector<const onnx::ValueInfoProto*> data_of(const onnx::GraphProto& graph);

/// The tensors whose numbers are in the file.
std::set<std::string> stored_names(const onnx::GraphProto& graph);

/// Whether a file leaves an extent to the run.
bool is_open(const onnx::TensorShapeProto::Dimension& extent);

}  // namespace poet
