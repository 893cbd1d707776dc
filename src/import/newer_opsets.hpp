#pragma once

#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "import/onnx_graph.hpp"

namespace poet {

/// Whether a domain of operators is ONNX's own.
bool is_usual_domain(const std::string& domain);

/// The domain of nodes whose operator has come, or means something else, since the opset that
/// libonnx 1.12 knows.
inline constexpr const char* kNewerDomain = "ai.onnx of later opsets";

/// Gives such nodes this domain, with the opset of the file, and all others opset 17, so that
/// libonnx checks the others. Throws InputError for an opset of which nothing is known.
void mark_newer_ops(onnx::ModelProto& model);

/// A node of this domain in words of opset 17, behind constants that it reads. `inputs` are tensors
/// of the graph, -1 for one that is left out. What keeps the domain is new, and has the type of its
/// input. Throws InputError for what opset 17 cannot state.
std::vector<onnx::NodeProto> in_known_opset(const onnx::NodeProto& node, const OnnxGraph& graph,
                                            const std::vector<int>& inputs);

}  // namespace poet
