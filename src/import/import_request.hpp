#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "model/model_spec.hpp"
#include "poet/model.hpp"

namespace poet {

/// The largest ONNX file that is read. Its weights may take all of it, but what describes the graph
/// may not.
inline constexpr std::size_t kMaxOnnxBytes = std::size_t{1} << 30;

/// What a user says about a network that its file does not.
struct ImportRequest {
  std::string loss;       ///< `cross_entropy` or `mse`; empty: by the output's extents
  std::string trainable;  ///< `all`, `last:3` or a pattern with `*`; empty: all
  /// Ops that become `custom` layers, with their FLOPs for each element of the output.
  std::map<std::string, std::int64_t> custom;
  FrozenWeights frozen_weights = FrozenWeights::float32;            ///< where kernels can read them
  FrozenParameters frozen_parameters = FrozenParameters::in_place;  ///< where gradients pass
  std::map<std::string, Shape> shapes;    ///< of inputs, by name; empty name: of the first input
  std::map<std::string, double> numbers;  ///< of inputs that are constants, by name
  bool keep_numbers = false;              ///< the parameters are wanted as well as the layers

  bool operator==(const ImportRequest&) const = default;
};

}  // namespace poet
