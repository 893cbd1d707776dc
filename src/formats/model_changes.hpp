#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace poet {

/// A model file with one of the changes of docs/infeasible.md.
struct ModelChange {
  std::string what;  ///< in a table: `masks`
  std::string text;
  bool of_parameters = false;  ///< tensors stay as they are, and so does a budget for tensors
};

/// The changes that make a training step of layers smaller, but for what the model has already.
/// None for a model of measured nodes. Throws InputError for a text that is not JSON.
std::vector<ModelChange> model_changes(std::string_view text, const std::string& source);

}  // namespace poet
