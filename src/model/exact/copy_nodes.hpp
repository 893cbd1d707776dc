#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/exact/draft.hpp"

namespace poet {

/// The ops of nodes that make copies: bytes for CopyMode::int8, bits for CopyMode::exact.
inline constexpr std::string_view kBytesOp = "copy_int8";
inline constexpr std::string_view kBitsOp = "copy_bits";

/// How a copy of one byte for each element lies in memory: the elements in the tensor's order, as
/// many as make whole words, then a scale of float32 for each group.
struct CopyLayout {
  std::int64_t groups = 1;
  std::int64_t group_size = 0;  ///< elements that share a scale; neighbours
  Bytes bytes = 0;
};

/// The layout of a copy of a tensor of this shape.
CopyLayout copy_layout(const Shape& shape);

/// The bytes of a copy in this mode.
Bytes copy_bytes(const Shape& shape, CopyMode mode);

/// Appends the copy of a forward node, which has to be the last node, if the copies name it. Throws
/// InputError if the tensor can have none.
void add_stated_copy(Draft& draft, const Copies& copies, int node, CopyRule rule);

/// The node that a gradient reads for `tensor` of its formula, which is this node: the node itself,
/// or its copy.
int read_node(const Draft& draft, int node, TensorRef tensor);

/// Charges a gradient that is not yet in the draft for what it reads from a copy.
void read_copy(Draft& draft, int copy, TensorRef tensor, ModelNode& gradient);

/// The tensors of a graph without copies that may have one in this mode.
std::vector<std::string> copy_candidates(const Draft& draft, const ModelSpec& spec, CopyMode mode,
                                         Bytes alignment);

/// As copy_candidates() of a model, with the tensors that only stated copies name.
std::vector<std::string> copyable_tensors(const Model& model, CopyMode mode);

}  // namespace poet
