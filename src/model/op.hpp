#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/model_spec.hpp"
#include "poet/model.hpp"

namespace poet {

/// What one layer yields and costs.
struct LayerCosts {
  Shape out_shape;
  std::int64_t parameter_count = 0;
  std::int64_t flop = 0;  ///< of one forward computation
};

/// What a layer is computed from.
struct LayerCall {
  std::span<const Shape> inputs;  ///< as many as the op takes
  const Attributes& attributes;   ///< exactly those of the op's rules

  const Shape& input() const { return inputs.front(); }
  std::int64_t value(std::string_view name) const { return attributes.at(name).height; }
  Attribute window(std::string_view name) const { return attributes.at(name); }
};

/// An attribute that an op accepts.
struct AttributeRule {
  enum class Kind { integer, window, flag };  ///< window: `[height, width]`, or one for both
  std::string_view name;
  Kind kind = Kind::integer;
  std::int64_t least = 1;                      ///< smallest value allowed
  std::optional<std::int64_t> otherwise = {};  ///< the default; absent: the attribute is required
};

/// An op of the model format. `infer` gives shape, parameters and FLOPs by the formulas of POET's
/// released layers; it throws InputError, without a place, if shapes and attributes disagree.
struct OpRule {
  std::string_view name;
  std::size_t input_count = 1;
  std::vector<AttributeRule> attributes;
  LayerCosts (*infer)(const LayerCall& call) = nullptr;
};

/// Every op, in the order of the documentation.
std::span<const OpRule> op_rules();

/// The rule of an op, or null.
const OpRule* find_op(std::string_view name);

}  // namespace poet
