#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "poet/model.hpp"

namespace poet {

/// A number of the file that should be a whole one, such as an index: without what follows the
/// point, and so far from the ends of the type that sums with extents fit. 0 for a NaN.
inline std::int64_t whole_number(double value) {
  constexpr double kMost = 9e15;
  return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(value, -kMost, kMost));
}

/// An attribute of an ONNX node; which member holds it depends on the attribute.
struct OnnxAttribute {
  std::int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<std::int64_t> integers;
  std::vector<double> numbers{};
  std::vector<std::string> texts{};
};

/// A tensor of an ONNX graph.
struct OnnxTensor {
  std::string name;
  Shape shape;
  bool is_integer = false;  ///< indices, shapes and truth values
  bool is_weight = false;   ///< stored in the file, or passed in as one; trains if a layer reads it
  bool is_constant =
      false;  ///< of a Constant node, whole numbers, or what follows from these alone
  /// Numbers that are known without running the network: of constants, of single weights, and of
  /// what is computed from weights.
  std::optional<std::vector<double>> values{};
  int origin = -1;  ///< of a weight that is another one in another form, or a part of it: that one
  std::int64_t part_start = 0;  ///< of a part along the first extent
  /// Whether it is more than such a part in another shape, such as a transposition.
  bool is_moved = false;
  std::string form{};  ///< of such a weight: what was done to the other one
  /// Of a weight, if the file has them.
  std::shared_ptr<const std::vector<float>> numbers{};

  bool is_data() const { return !is_weight && !is_constant; }
  /// All numbers, if they are known.
  std::optional<std::vector<double>> known() const {
    if (values || !numbers) return values;
    return std::vector<double>(numbers->begin(), numbers->end());
  }
  /// The one number that it has, if that is known.
  std::optional<double> number() const {
    if (values && values->size() == 1) return values->front();
    return std::nullopt;
  }
};

/// A node of an ONNX graph, or what a pattern of nodes became. It records which of its attributes
/// and inputs were asked for: what nobody reads would be dropped without a word. Attributes with
/// the default of their operator are not here.
struct OnnxNode {
  std::string op;
  std::string name;
  std::vector<int> inputs;   ///< tensors; -1 for one that is left out
  std::vector<int> outputs;  ///< likewise
  std::map<std::string, OnnxAttribute> attributes;

  std::string fault{};  ///< why it is not taken apart into what layers stand for
  mutable std::set<std::string> read_attributes{};
  mutable std::set<std::size_t> read_inputs{};

  int input(std::size_t i) const {
    read_inputs.insert(i);
    return i < inputs.size() ? inputs[i] : -1;
  }
  int output(std::size_t i) const { return i < outputs.size() ? outputs[i] : -1; }
  bool has(const std::string& key) const { return attribute(key) != nullptr; }
  std::int64_t integer(const std::string& key, std::int64_t otherwise) const;
  double number(const std::string& key, double otherwise) const;
  std::vector<std::int64_t> integers(const std::string& key) const;
  std::string text(const std::string& key) const;

  /// Takes all attributes and inputs for read, as the shape of the output says what they do.
  void read_all() const;
  /// Begins the record anew.
  void forget() const;
  /// An attribute or an input that was not asked for, as words of a message; empty if there is
  /// none.
  std::string unread() const;

 private:
  const OnnxAttribute* attribute(const std::string& key) const;
};

/// A graph in which every shape is known. Nodes are in topological order.
struct OnnxGraph {
  std::string name;
  int opset = 0;
  std::vector<OnnxTensor> tensors;
  std::vector<OnnxNode> nodes;
  std::map<int, OnnxNode> forms;  ///< by weight in another form: what makes it
  std::vector<int> inputs;        ///< data that a run is given
  std::vector<int> outputs;

  const OnnxTensor& at(int tensor) const { return tensors.at(static_cast<std::size_t>(tensor)); }
};

/// Who makes and who reads the tensors of a graph, as it was when this was made.
class OnnxLinks {
 public:
  explicit OnnxLinks(const OnnxGraph& graph);

  /// The node that makes a tensor, if it is of this op; else null.
  const OnnxNode* maker(int tensor, std::string_view op) const;
  const OnnxNode* maker(int tensor) const;
  /// Its index in the graph; -1 if no node makes it.
  int maker_index(int tensor) const { return tensor < 0 ? -1 : maker_.at(tensor); }
  /// The only node that reads a tensor, if it is of this op and the tensor is no output.
  const OnnxNode* only_reader(int tensor, std::string_view op) const;
  std::size_t reader_count(int tensor) const;

 private:
  const OnnxGraph* graph_;
  std::vector<int> maker_;
  std::vector<std::vector<int>> readers_;  ///< an output has one of -1 besides
};

/// Removes nodes none of whose outputs is needed.
void remove_unread_nodes(OnnxGraph& graph);

}  // namespace poet
