#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/order.hpp"
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
  std::optional<Seconds> page_in_seconds{};      ///< likewise; 0 without a platform
  std::optional<Seconds> page_out_seconds{};     ///< likewise
  std::optional<Bytes> storage_bytes{};          ///< of a copy; absent: the platform says
};

/// A tensor as a formula reads it. A view has a shape of its own.
struct Operand {
  int node = 0;
  Shape shape;
};

/// What gradients may read in place of tensors of the forward pass.
enum class CopyMode {
  off,
  exact,  ///< a bit for each element, where a gradient needs no more
  int8    ///< a byte for each element, with scales
};

/// Copies of forward tensors that gradients read in place of the tensors.
struct Copies {
  CopyMode mode = CopyMode::off;
  std::vector<std::string> tensors{};  ///< names, in the order of the graph without copies

  bool operator==(const Copies&) const = default;
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

  std::optional<Bytes> bytes{};  ///< of the output; absent: its elements times their size
  // As in Node.
  std::optional<int> in_place{};
  Bytes workspace_bytes = 0;
  bool recompute = true;
  bool page = true;
  std::string bank{};  ///< Node::bank
  std::vector<std::string> reads_parameters{};
  std::vector<std::string> writes_parameters{};

  /// Of an exact graph: as in Node.
  std::vector<int> in_place_choices{};
  /// Likewise: names of the parameters to whose kept gradients the node adds (Update::accumulate).
  std::vector<std::string> adds_to{};
  /// Of an exact graph: the forward node that this one copies for gradients.
  std::optional<int> copy_of{};
  /// Of an exact graph: what the node's formula reads, in the order of docs/model-format.md.
  std::vector<Operand> operands{};
};

/// Where the backward pass of a model comes from. docs/model-format.md has the words for files.
enum class Backward {
  poet_chain,     ///< appended to the layers as POET's release does (ICML 2022)
  exact,          ///< what a training step computes; see docs/model-format.md
  none,           ///< inference only
  explicit_nodes  ///< the graph is given node by node; each node states its pass
};

/// When the gradients of parameters are applied, in exact mode.
enum class Update {
  fused,      ///< where they arise, with no buffer
  buffered,   ///< from a buffer, which lives until the update that follows
  accumulate  ///< at the end; all gradients stay in RAM
};

/// What applies them. It keeps nothing for each parameter, one number or two.
enum class Optimizer { sgd, momentum, adam };

/// Bytes of an element; absent: as the platform states.
struct ElementBytes {
  std::optional<int> activations{};
  std::optional<int> gradients{};
  std::optional<int> parameters{};
};

/// Parameters that nodes read and write under one name.
struct Parameters {
  std::string name;            ///< the name of the layer that owns them
  std::int64_t count = 0;      ///< numbers
  bool is_trained = false;     ///< some node computes their gradient
  bool is_state = false;       ///< no parameters, but what else the step keeps for the next one
  ElementBytes element_bytes;  ///< of gradients and parameters
  std::optional<Bytes> bytes;  ///< if stated instead of a count
};

/// What an arena of a device rounds offsets to, unless a user states otherwise.
inline constexpr Bytes kUsualAlignment = 4;

struct ModelSpec;  // src/model/model_spec.hpp

/// A training graph: layers, then the backward pass, unless another topological order was chosen.
struct Model {
  std::string name;
  std::string source;  ///< `built-in`, a path, or `-` for stdin
  std::string sha256;  ///< of the file's bytes
  Backward backward = Backward::poet_chain;
  std::int64_t batch_size = 1;  ///< samples per training step
  std::vector<ModelNode> nodes;
  NodeOrder order{};  ///< of `nodes`, by index of the list that the file stands for; see permuted()

  // What POET's graphs do not have.
  Update update = Update::fused;
  Optimizer optimizer = Optimizer::sgd;
  ElementBytes element_bytes{};
  std::vector<Parameters> parameters{};
  /// The bytes of every tensor of an exact graph are a multiple of this, so that what fits by its
  /// bytes fits with its offsets.
  Bytes alignment = kUsualAlignment;
  Copies copies{};
  std::int64_t data_count = 0;     ///< of an exact graph: elements of all inputs and targets
  std::int64_t running_count = 0;  ///< likewise: of the running statistics that batches change
  /// Of an exact graph with a backward pass: what it was built from.
  std::shared_ptr<const ModelSpec> spec{};
};

/// Loads a built-in model by name, a file by path (a value with `/` or `.json` in it), or
/// stdin (`-`). Shapes, parameter and FLOP counts follow POET's released model (ICML 2022,
/// section 5), peculiarities included, so that results can be compared; docs/model-format.md lists
/// them. Throws InputError for an unknown name (naming near misses), an unreadable or invalid
/// file, or a batch size above 1 for a model without a batch dimension.
///
/// `backward`, if given, replaces what the file states: Backward::exact, Backward::poet_chain or
/// Backward::none, for a list of layers. The last one is counted as the first one counts.
Model load_model(const std::string& name_or_path, std::int64_t batch_size = 1,
                 std::optional<Backward> backward = {});

/// Reads a model from the text of a model file. `source` names the text in errors and in
/// Model::source. Throws InputError as load_model does.
Model parse_model(std::string_view text, const std::string& source, std::int64_t batch_size = 1,
                  std::optional<Backward> backward = {});

/// What a model's formulas ask of an order of its nodes: what its lists of parameters do and, for
/// each gradient that is kept until the end of the step, that it is added up as listed, and then
/// applied.
Precedence precedence(const Model& model);

/// The same model with its nodes in another order, which must be legal; see permuted(Graph).
Model permuted(const Model& model, const NodeOrder& order);

/// The names of the tensors that may have a copy in this mode, in the order of the graph without
/// copies: a copy is smaller than its tensor, and a gradient can read it. Throws InputError unless
/// the model is an exact one of layers, with a backward pass.
std::vector<std::string> copy_candidates(const Model& model, CopyMode mode);

/// The same model with these copies in the place of its own. All other nodes keep their order, in
/// which a copy stands right behind its tensor. Throws InputError as copy_candidates() does, and
/// for a name that is no candidate or is stated twice.
Model with_copies(const Model& model, const Copies& copies);

/// Returns the names of the built-in models, sorted.
std::vector<std::string> builtin_models();

}  // namespace poet
