#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <onnx/onnx_pb.h>

namespace poet {

/// Parses a file and lets libonnx check it. Throws InputError, without a place, for bytes that are
/// no valid ONNX, for what the checker finds, for weights in other files, and for a graph whose
/// description alone is larger than any network's.
onnx::ModelProto parse_onnx(std::string_view bytes);

/// Bytes that describe the graph: all but the numbers of its weights. The parser needs up to a
/// hundred times as much memory for them. Stops at the first malformed byte.
std::size_t description_bytes(std::string_view bytes);

/// The numbers of a small tensor of integers, truth values or floats, if they are in the file and
/// as many as its extents say.
std::optional<std::vector<double>> small_numbers(const onnx::TensorProto& tensor);

/// Likewise the numbers of a weight of float32 or float64 of any size, as float32.
std::shared_ptr<const std::vector<float>> float_numbers(const onnx::TensorProto& tensor);

/// Whether elements of this type are something else than floats.
bool is_integer_type(int type);

}  // namespace poet
