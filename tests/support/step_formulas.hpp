#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "poet/model.hpp"

namespace poet::test {

/// How one tensor of a training step is computed, by names. Views have no names here: a formula
/// names the tensor below.
struct Formula {
  std::vector<std::string> reads{};  ///< tensors, in the order of the formula
  std::vector<std::string> over{};   ///< those of them that the result may overwrite as it arises
  std::vector<std::string> reads_parameters{};
  std::vector<std::string> writes_parameters{};
  std::vector<std::string> adds_to{};  ///< gradients of parameters that are kept beside the graph
  std::vector<std::string> applies{};  ///< the same, read
  bool is_sample = false;              ///< an input that cannot be had again
};

/// The formulas of a training step by the names of their nodes (docs/model-format.md, "Names").
using Formulas = std::map<std::string, Formula>;

/// Differentiates a model file by hand: a table says what each op and each of its gradients reads,
/// and a walk over the layers finds the tensors. The code of the graph has no part in it, so that a
/// missing edge of the graph shows. `model` is asked for the number of elements of forward tensors
/// only: a side of a sum that is repeated needs a gradient of its own.
///
/// Throws std::runtime_error if a layer reads the same tensor twice.
Formulas step_formulas(const nlohmann::json& model_file, const Model& model);

}  // namespace poet::test
