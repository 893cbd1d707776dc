#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/onnx_graph.hpp"
#include "import/weight_numbers.hpp"
#include "model/model_spec.hpp"
#include "model/parameters.hpp"

namespace poet {

/// Which tensors of a file the parameters of each layer are.
class KeptWeights {
 public:
  explicit KeptWeights(const OnnxGraph& graph) : graph_(graph) {}

  /// A layer with parameters of its own: `weight` is the first of them, and `node` has the others.
  void add_layer(std::string_view op, const std::string& layer, const OnnxNode& node, int weight);
  /// A layer that shares the parameters of another one.
  void add_user(const std::string& layer, const std::string& owner, int weight);

  /// The arrays of these layers, as PyTorch has them. Throws InputError, without a place, that
  /// names every layer whose numbers the file does not have, or has in a form that is not known.
  std::vector<KeptArray> arrays(const ModelSpec& spec) const;

 private:
  /// An array that is made of a tensor of the file.
  struct Source {
    std::string name;  ///< of the array
    int tensor = -1;
    OnnxForm form = OnnxForm::as_is;
    std::span<const std::size_t> gates{};  ///< LayerTensor::gates
    std::size_t direction = 0;             ///< of a recurrence
  };

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
