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

/// Height and width of a window; scalars, flags and choices (by their index) use `height` alone,
/// lists and shapes use `list`, real numbers `number`, with a `height` of 1 if they are stated. An
/// extent of 0 in a shape stands for the batch.
struct Attribute {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::int64_t> list{};
  double number = 0;
};
using Attributes = std::map<std::string_view, Attribute>;  ///< keys point into the table of ops

/// The name of an input as it was written, and where.
struct InputName {
  std::string name;
  std::string place;           ///< `file: /layers/3/inputs/1`
  std::optional<int> index{};  ///< in place of the name, until it is known
};

/// The elements of the weight of a layer that is not trained.
enum class FrozenWeights {
  float32,
  int8  ///< and a scale of float32 for each output channel (src/step/int8_weights.hpp)
};

/// Where kernels read the parameters of a layer that is not trained.
enum class FrozenParameters {
  in_place,  ///< where they lie, which is flash if the chip has one
  copied     ///< in a tensor of the exact training graph, which a node of its own copies them into
};

/// Whether a tensor may have a copy that gradients read in its place.
enum class CopyRule {
  chosen,  ///< if one is asked for
  never
};

/// A layer as it was written, attributes complete with their defaults.
struct LayerSpec {
  bool whole = true;  ///< false: something in it is wrong, which has been reported
  std::string place;  ///< `file: /layers/3`
  std::string name;
  std::string op;
  std::vector<InputName> inputs;
  Attributes attributes;
  // What version 2 adds; the defaults are what version 1 means.
  std::optional<InputName> target{};   ///< of a loss
  std::optional<InputName> weights{};  ///< the layer whose parameters this one uses
  bool trainable = true;
  std::optional<std::vector<InputName>> trained{};  ///< its tensors that train; absent: all
  bool recompute = true;
  bool page = true;
  std::string bank{};  ///< of RAM, for its output; empty: any
  Bytes workspace_bytes = 0;
  std::optional<bool> in_place{};            ///< as the file states; absent: as the op has it
  std::optional<InputName> in_place_over{};  ///< the one input that may be taken over
  ElementBytes element_bytes{};
  FrozenWeights frozen_weights = FrozenWeights::float32;
  FrozenParameters frozen_parameters = FrozenParameters::in_place;
  CopyRule copy = CopyRule::chosen;
  /// What the layer of an imported network computes and this one does not; empty: nothing.
  std::string differs{};
};

/// An input of a model of layers.
struct InputSpec {
  std::string place;  ///< `file: /input`
  std::string name;
  Shape shape;              ///< a batch extent counts as 1 here
  bool has_batch = false;   ///< the first extent is the batch
  bool repeatable = false;  ///< it can be had again
  bool zeros = false;       ///< of a run that is given no other numbers
  std::optional<int> element_bytes{};
  CopyRule copy = CopyRule::chosen;
};

/// A node of a graph whose costs were measured.
struct MeasuredSpec {
  std::string place;  ///< `file: /nodes/3`
  std::string name;
  std::string op;
  std::vector<InputName> inputs;
  bool backward = false;
  MeasuredCosts costs;
  // What version 2 adds.
  std::optional<InputName> in_place{};
  Bytes workspace_bytes = 0;
  bool recompute = true;
  bool page = true;
  std::string bank{};  ///< of RAM, for its output; empty: any
  std::vector<InputName> reads_parameters{};
  std::vector<InputName> writes_parameters{};
  std::vector<InputName> in_place_choices{};  ///< of the nodes of a schedule in a chosen order
};

/// A model file, read but not yet understood as a graph: the reader knows JSON and no layer, and
/// build_model the reverse. Either `layers` or `nodes` is filled.
struct ModelSpec {
  std::string name;
  int version = 1;
  Backward backward = Backward::poet_chain;
  std::string place;              ///< the file, for errors about all of it
  bool has_inputs = true;         ///< false: something in them is wrong, which has been reported
  std::vector<InputSpec> inputs;  ///< `input` first
  std::vector<LayerSpec> layers;
  std::vector<MeasuredSpec> nodes;
  Update update = Update::fused;
  Optimizer optimizer = Optimizer::sgd;
  ElementBytes element_bytes{};
  std::vector<Parameters> parameters{};  ///< that measured nodes may name, and state
  /// Backward::none was asked for, and is not what the file states: a layer list of version 1 is
  /// counted as it is computed, too.
  bool forward_alone = false;
  Copies copies{};  ///< of the graph that is asked for; no file states it

  bool has_batch() const;
};

/// Whether the graph of a layer list has true counts, and so says what is computed, and not those
/// of POET.
bool has_exact_counts(const ModelSpec& spec);

/// Asks for another backward pass than the file does: Backward::exact, Backward::poet_chain or
/// Backward::none. Throws InputError for measured nodes.
void ask_for_backward(ModelSpec& spec, Backward wanted);

/// Turns a model as it was written into a graph: names become indices, shapes, parameter and
/// FLOP counts are inferred for this batch size, and the backward pass is appended. Each mistake
/// goes to `errors` with its place, unless it only follows from another one; the model means
/// nothing if there are any. Throws InputError for a batch size that does not fit.
Model build_model(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors);

/// A model whose tensors have this alignment, in bytes. Throws InputError unless it is a power of
/// two, and the usual one if the graph is not exact.
Model with_alignment(Model model, Bytes alignment);

}  // namespace poet
