#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "import/onnx_graph.hpp"
#include "import/weight_numbers.hpp"
#include "model/model_spec.hpp"

namespace poet {

/// Which tensors of a file the parameters of each layer are.
class KeptWeights {
 public:
  explicit KeptWeights(const OnnxGraph& graph) : graph_(graph) {}

  /// A layer with a weight, and a bias if `node` has one; for batch norms with their statistics.
  void add_layer(std::string_view op, const std::string& layer, const OnnxNode& node, int weight);
  /// A layer that shares the parameters of another one.
  void add_user(const std::string& layer, const std::string& owner, int weight);
  /// A step of a recurrence with parameters of its own.
  void add_cell(const std::string& layer, const OnnxNode& node);
  /// A layer of the op `parameter`.
  void add_parameter(const std::string& layer, int tensor);

  /// The arrays of these layers, as PyTorch has them. Throws InputError, without a place, that
  /// names every layer whose numbers the file does not have, or has in a form that is not known.
  std::vector<KeptArray> arrays(const ModelSpec& spec) const;

 private:
  /// An array that is made of a tensor of the file.
  struct Source {
    std::string name;  ///< of the array
    int tensor = -1;
    enum class Form { as_is, flat, transposed, gates, input_bias, hidden_bias } form = Form::as_is;
    // Of a recurrence.
    std::vector<std::size_t> gates{};  ///< where the gates of PyTorch are in the file
    std::size_t direction = 0;
  };

  void add(const std::string& layer, const char* name, int tensor, Source::Form form);
  KeptArray array_of(const Source& source) const;
  std::vector<float> numbers_of(const Source& source) const;

  const OnnxGraph& graph_;
  std::map<std::string, std::vector<Source>> sources_;  ///< by layer
  /// Users of a weight of another layer: the layer, its owner and the tensor that it reads.
  struct Shared {
    std::string layer, owner;
    int tensor = -1;
  };
  std::vector<Shared> shared_;
};

}  // namespace poet
