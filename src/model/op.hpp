#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
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
  const Attributes& attributes;   ///< exactly the ones that the op's rules name
  std::int64_t batch_size = 1;
  int version = 1;  ///< of the model file

  const Shape& input() const { return inputs.front(); }
  std::int64_t value(std::string_view name) const { return attributes.at(name).height; }
  Attribute window(std::string_view name) const { return attributes.at(name); }
  const std::vector<std::int64_t>& list(std::string_view name) const {
    return attributes.at(name).list;
  }
  /// A list of extents, with this batch size for "N".
  Shape shape(std::string_view name) const;
};

/// The real numbers that an attribute may have. Kernels compute with float32, where a number below
/// `most` may become `most`: it is not allowed either.
struct AttributeRange {
  double least = 0;
  double most = 0;
  bool is_below_most = false;  ///< `most` itself is not allowed

  bool contains(double value) const;
  std::string text() const;  ///< `a number from 0 to below 1`
};

/// An attribute that an op accepts.
struct AttributeRule {
  enum class Kind {
    integer,
    flag,
    window,   ///< `[height, width]`, or one for both
    padding,  ///< a window, or `"same"`
    list,     ///< of whole numbers, at least one
    shape,    ///< extents, of which the first may be "N"
    choice,   ///< one of `choices`
    choices,  ///< a list of some of them, or none
    number    ///< a real one, in `range`
  };
  std::string_view name;
  Kind kind = Kind::integer;
  std::int64_t least = 1;                      ///< smallest value allowed
  std::optional<std::int64_t> otherwise = {};  ///< the default; absent: the attribute is required
  int since = 1;                               ///< the version of model files that has it
  /// What version 1 accepts, if less.
  std::optional<Kind> kind_of_version_1 = {};
  bool is_required_in_version_1 = false;
  std::vector<std::string_view> words = {};  ///< of a choice
  std::string_view default_text = {};        ///< where `otherwise` stands for something else
  AttributeRange range = {};                 ///< of a number
  double usual_number = 0;                   ///< of a number: its default; none is required
  /// Of a number: left out, it stands for `default_text` and not for a number.
  bool may_be_absent = false;

  bool is_required() const { return kind != Kind::number && !otherwise; }
  /// What the attribute is if nobody states it and it is not required.
  Attribute usual() const;
  /// Whether it is just that.
  bool is_usual(const Attribute& attribute) const;
};

/// How many inputs an op takes.
struct InputCount {
  std::size_t least = 1;
  std::size_t most = 1;
};

struct ExactLayer;

/// An op of the model format. `infer` gives shape, parameters and FLOPs by the formulas of POET's
/// released layers, `exact` what a true training step does; each throws InputError, without a
/// place, if shapes and attributes disagree.
struct OpRule {
  std::string_view name;
  InputCount input_count;
  std::vector<AttributeRule> attributes;
  LayerCosts (*infer)(const LayerCall& call) = nullptr;  ///< null: version 1 does not know the op
  ExactLayer (*exact)(const LayerCall& call) = nullptr;
  bool has_target = false;  ///< a loss: the layer may name a `target`, which becomes input 1
  /// In exact mode the layer also reads the first input of the layer that makes its own.
  bool reads_source = false;
};

/// The most inputs that any op takes.
inline constexpr std::size_t kMaxInputs = 1024;

/// Every op, in the order of the documentation.
std::span<const OpRule> op_rules();

/// The rule of an op, or null.
const OpRule* find_op(std::string_view name);

}  // namespace poet
