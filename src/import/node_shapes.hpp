#pragma once

#include <map>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

namespace poet {

/// What libonnx's inference asks about the inputs of a node. Null: not known, or left out.
struct OnnxInputs {
  std::vector<const onnx::TypeProto*> types;
  std::vector<const onnx::TensorProto*> numbers;  ///< of inputs whose values are known
};

/// The most extents of a tensor.
inline constexpr int kMaxRank = 8;

/// Whether an attribute says what the schema of the op says without it.
bool is_default(const onnx::AttributeProto& attribute, const onnx::NodeProto& node,
                const std::map<std::string, int>& opsets);

/// The types of a node's outputs as libonnx's schema of its op infers them. They are without
/// extents where it does not say. `opsets` are the model's, by domain. Throws InputError, without a
/// place, for what libonnx refuses.
std::vector<onnx::TypeProto> infer_types(const onnx::NodeProto& node, const OnnxInputs& inputs,
                                         const std::map<std::string, int>& opsets);

}  // namespace poet
