#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/units.hpp"

namespace poet {

/// Extents of a tensor, outermost first, e.g. N, C, H, W.
using Shape = std::vector<std::int64_t>;

/// Costs that a user measured for one node. They replace what a platform would predict, and hold
/// for the batch size that they were measured with.
struct MeasuredCosts {
  Bytes bytes = 0;                               ///< size of the output
  Seconds runtime_seconds = 0;                   ///< one computation
  Joules energy_joules = 0;                      ///< one computation
  std::optional<Joules> page_in_energy_joules;   ///< absent: the platform supplies it
  std::optional<Joules> page_out_energy_joules;  ///< absent: the platform supplies it
};

/// One node of a training graph before a platform gives it costs. It makes one tensor.
struct ModelNode {
  std::string name;
  std::string op;                    ///< `conv2d`, `gradient`, ... or any word of a user's graph
  Shape out_shape;                   ///< empty if the costs are measured
  std::int64_t parameter_count = 0;  ///< reported; not charged to RAM
  std::int64_t flop = 0;             ///< floating-point operations of one computation
  std::vector<int> inputs;           ///< indices of earlier nodes, ascending, each once
  bool backward = false;
  std::optional<MeasuredCosts> measured;
};

/// Where the backward pass of a model comes from. docs/model-format.md has the words for files.
enum class Backward {
  poet_chain,     ///< appended to the layers as POET's release does (ICML 2022)
  none,           ///< inference only
  explicit_nodes  ///< the graph is given node by node; each node states its pass
};

/// A training graph: forward layers, then the backward pass, in topological order.
struct Model {
  std::string name;
  std::string source;  ///< `built-in`, a path, or `-` for stdin
  std::string sha256;  ///< of the file's bytes
  Backward backward = Backward::poet_chain;
  std::int64_t batch_size = 1;  ///< samples per training step
  std::vector<ModelNode> nodes;
};

/// Loads a built-in model by name, a file by path (a value with `/` or `.json` in it), or
/// stdin (`-`). Shapes, parameter and FLOP counts follow POET's released model (ICML 2022,
/// section 5), peculiarities included, so that results can be compared; docs/model-format.md lists
/// them. Throws InputError for an unknown name (naming near misses), an unreadable or invalid
/// file, or a batch size above 1 for a model without a batch dimension.
Model load_model(const std::string& name_or_path, std::int64_t batch_size = 1);

/// Reads a model from the text of a model file. `source` names the text in errors and in
/// Model::source. Throws InputError as load_model does.
Model parse_model(std::string_view text, const std::string& source, std::int64_t batch_size = 1);

/// Returns the names of the built-in models, sorted.
std::vector<std::string> builtin_models();

}  // namespace poet
