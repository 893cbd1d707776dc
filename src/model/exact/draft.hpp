#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/exact/exact_layer.hpp"
#include "model/model_spec.hpp"
#include "model/op.hpp"

namespace poet {

/// What the name of an input, a layer or a part of a layer stands for. A view stands for a node
/// that another layer computes, in a shape of its own.
struct NamedTensor {
  int node = -1;        ///< none if it is a learned tensor
  int parameters = -1;  ///< that learned tensor, an index into Draft::parameters
  int layer = -1;       ///< that makes it, an index into Draft::layers; none for an input
  Shape shape{};
  bool is_known = false;  ///< false: something about it is wrong, which has been reported
  bool is_view = false;
  bool has_parts = false;       ///< it is known by its parts only
  bool wants_gradient = false;  ///< something trainable lies below
};

/// A layer in the graph.
struct DraftLayer {
  const LayerSpec* spec = nullptr;
  ExactLayer exact;
  std::vector<NamedTensor> inputs;
  std::vector<int> nodes;       ///< by ExactLayer::nodes
  std::vector<int> parameters;  ///< by ExactLayer::parameters
  bool is_read = false;         ///< by another layer
};

struct DraftParameters {
  std::string name;
  std::vector<Shape> shapes;
  int owner = 0;           ///< the layer; the first that reads them
  int readers = 0;         ///< layers
  bool trainable = false;  ///< a gradient is wanted
  bool has_int8_weights = false;
  bool is_copied = false;   ///< nodes read a tensor that they are copied into
  int copy = -1;            ///< the node of that tensor, from its first reader on
  bool is_trained = false;  ///< a node makes it
  bool waits = false;       ///< their update waits for another gradient of the same layer
  ElementBytes element_bytes{};
  int gradient = -1;  ///< the node that holds the gradient so far, if there is a buffer
};

/// What one tensor of a formula stands for.
struct FormulaOperand {
  enum class Kind {
    tensor,      ///< a node, by its index
    parameters,  ///< a learned tensor, an index into Draft::parameters
    one,         ///< the gradient of a loss, which is 1 and so no tensor
    none         ///< the gradient of an output that nothing reads
  };
  Kind kind = Kind::none;
  int index = -1;
  Shape shape{};
  bool is_copy = false;  ///< the node is a copy of the tensor, whose shape this is
};

/// How a node came about: what has to be known to compute it, beside the graph. Absent indices are
/// -1. A node without a layer is an input, its copy, a copy of parameters, the sum of two
/// gradients, or an update. A copy of a tensor has the tensor's layer, and neither output nor step.
struct NodeFormula {
  int layer = -1;                          ///< an index into Draft::layers
  int output = -1;                         ///< of the forward pass: into ExactLayer::nodes
  int step = -1;                           ///< of the backward pass: into ExactLayer::steps
  std::vector<FormulaOperand> operands{};  ///< in the order of the formula
  int parameters = -1;                     ///< whose gradient it makes or applies, or which it
                                           ///< copies: an index into Draft::parameters
  int also = -1;                           ///< further parameters whose gradient the node applies
  int sum = -1;                            ///< the node of the earlier gradients that it adds to
  bool keeps_sign = false;                 ///< of a copy: some gradient reads the tensor's sign
};

/// A training graph under construction.
struct Draft {
  Model model;
  std::vector<DraftLayer> layers;
  std::vector<DraftParameters> parameters;
  std::set<std::string> names;                     ///< taken, also by later layers
  std::vector<std::vector<int>> over;              ///< by node: inputs that it may take over
  std::vector<std::optional<int>> gradient_bytes;  ///< by node: of an element of its gradient
  std::vector<NodeFormula> formulas;               ///< by node
  std::vector<int> copies;                         ///< by node: its copy for gradients, or -1
};

/// Appends a node, whose inputs are its operands, sorted, each once. Throws InputError beyond
/// kMaxNodes.
int add_node(Draft& draft, ModelNode node, NodeFormula formula, std::vector<int> over,
             std::optional<int> gradient_bytes = {});

/// Appends the node that copies parameters into a tensor.
void add_copy(Draft& draft, int parameters);

/// Lets a node that is not yet in the draft read parameters: in place, or from their copy.
void read_parameters(const Draft& draft, int parameters, ModelNode& node);

/// Takes a name; with apostrophes if it is taken.
std::string take_name(Draft& draft, std::string name);

/// The bytes of a tensor whose elements have this size; absent if the platform decides.
std::optional<Bytes> stated_bytes(const Shape& shape, std::optional<int> element_bytes);

/// Builds the forward pass: a node for each input, then the nodes of each layer. Mistakes go to
/// `errors`; what only follows from another one does not.
Draft draft_forward(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors);

/// Appends the backward pass and the updates of parameters. Throws InputError without a loss.
void append_exact_backward(Draft& draft, const ModelSpec& spec);

/// Throws InputError for a copy that nothing reads, and for a name of the stated copies that is no
/// forward tensor.
void expect_read_copies(const Draft& draft, const ModelSpec& spec);

/// Decides for each node which input it may take over (problem/take_over.hpp), and keeps what there
/// was to choose from.
void choose_in_place(Draft& draft);

/// The forward pass of a model of layers as it is computed and, unless spec.backward is `none`, its
/// backward pass. `spec` has to outlive the draft. It means nothing if there are any errors.
Draft draft_exact(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors);

/// The graph of draft_exact, with exact counts.
Model build_exact(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors);

}  // namespace poet
