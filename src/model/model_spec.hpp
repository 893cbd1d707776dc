#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_errors.hpp"
#include "poet/model.hpp"

namespace poet {

/// The most nodes a model may have, backward pass included. Far above what any solve can treat; it
/// keeps a hostile file from filling the memory.
inline constexpr std::size_t kMaxNodes = 100'000;

/// Height and width of a window; scalars and flags use `height` alone.
struct Attribute {
  std::int64_t height = 0;
  std::int64_t width = 0;
};
using Attributes = std::map<std::string_view, Attribute>;  ///< keys point into the table of ops

/// The name of an input as it was written, and where.
struct InputName {
  std::string name;
  std::string place;  ///< `file: /layers/3/inputs/1`
};

/// A layer as it was written, attributes complete with their defaults.
struct LayerSpec {
  bool whole = true;  ///< false: something in it is wrong, which has been reported
  std::string place;  ///< `file: /layers/3`
  std::string name;
  std::string op;
  std::vector<InputName> inputs;
  Attributes attributes;
};

/// A node of a graph whose costs were measured.
struct MeasuredSpec {
  std::string place;  ///< `file: /nodes/3`
  std::string name;
  std::string op;
  std::vector<InputName> inputs;
  bool backward = false;
  MeasuredCosts costs;
};

/// A model file, read but not yet understood as a graph: the reader knows JSON and no layer, and
/// build_model the reverse. Either `layers` or `nodes` is filled.
struct ModelSpec {
  std::string name;
  Backward backward = Backward::poet_chain;
  std::string place;         ///< the file, for errors about all of it
  bool has_input = true;     ///< false: something in it is wrong, which has been reported
  Shape input_shape;         ///< a batch extent counts as 1 here
  bool input_batch = false;  ///< the first extent is the batch
  std::vector<LayerSpec> layers;
  std::vector<MeasuredSpec> nodes;
};

/// Turns a model as it was written into a graph: names become indices, shapes, parameter and
/// FLOP counts are inferred for this batch size, and the backward pass is appended. Whatever does
/// not fit goes to `errors` with its place, but what only follows from another error does not; the
/// model means nothing if there are any. Throws InputError for a batch size that does not fit.
Model build_model(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors);

}  // namespace poet
