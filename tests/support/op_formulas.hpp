#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace poet::test {

/// A tensor of an op besides its output: `name` comes after the layer's and a dot.
struct InnerTensor {
  std::string name;
  std::string formula;
};

/// What the tensors of an op and its gradients read, a letter for each:
///   X, Z, V  the first, second and third input;  A  all inputs;  T  the target, if there is one
///   Y  the output;  P, Q  the tensors of `others`;  W, U  the two groups of parameters
///   D  the gradient of Y, if it has one;  E  that of Q;  S  those of all parts
///   G, H  the tensors of `gradients`
/// `XD/D` reads X and D, and may be computed over D, one element after the other. `=` means that D
/// itself is the gradient. An empty text: no such thing.
struct OpFormulas {
  std::string output;                     ///< Y; that of each part if there are `parts`
  std::vector<std::string> inputs;        ///< gradients; the last one is that of all further inputs
  std::vector<std::string> parameters{};  ///< gradients, by group
  std::vector<std::string> parameter_names{""};  ///< by group, after the layer's name and a dot
  bool is_joint = false;  ///< the first input's gradient and the parameters' are made together
  std::vector<InnerTensor> others{};
  std::vector<InnerTensor> gradients{};  ///< of inner tensors
  int parts = 0;                         ///< outputs, which are named by numbers
};

/// Those of a layer of a model file. Throws std::runtime_error for an op that is not known.
OpFormulas formulas_of(const nlohmann::json& layer);

/// Whether an op gives its input another shape and computes nothing.
bool is_view(const std::string& op);

}  // namespace poet::test
