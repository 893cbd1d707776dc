#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/import_request.hpp"
#include "import/weight_numbers.hpp"
#include "model/model_spec.hpp"

namespace poet {

/// A network as layers.
struct ImportedModel {
  ModelSpec spec;
  std::vector<std::string> notes;     ///< what a user should know, a sentence each
  std::vector<KeptArray> parameters;  ///< if they were asked for
};

/// Throws InputError, with the place, in a build that does not read ONNX files: with the package
/// that is missing.
void require_onnx(const std::string& place);

/// Reads an ONNX file (https://github.com/onnx/onnx/blob/v1.12.0/docs/IR.md) as a list of layers
/// that ends in a loss. libonnx parses and checks it, and infers shapes; weights may be missing.
/// `place` is the file, for messages.
///
/// Throws InputError, with the place, for a file that is not valid ONNX, refers to other files, has
/// extents that only a run would give, or ops that no layer stands for: all of them at once. Throws
/// as require_onnx() does.
ImportedModel import_onnx(std::string_view bytes, const std::string& place,
                          const ImportRequest& request);

}  // namespace poet
