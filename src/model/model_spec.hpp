#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "poet/model.hpp"

namespace poet {

/// The most nodes a model may have, backward pass included.
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

/// A model file, read but not yet understood as a graph. Either `layers` or `nodes` is filled.
struct ModelSpec {
  std::string name;
  std::string backward;
  std::string place;         ///< the file, for errors about all of it
  Shape input_shape;         ///< a batch extent counts as 1 here
  bool input_batch = false;  ///< the first extent is the batch
  std::vector<LayerSpec> layers;
  std::vector<MeasuredSpec> nodes;
};

}  // namespace poet
