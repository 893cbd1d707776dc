#pragma once

#include <functional>
#include <string>
#include <vector>

#include "import/import_request.hpp"
#include "import/weight_numbers.hpp"
#include "model/model_spec.hpp"

namespace poet {

/// A network as the text of a model file.
struct ImportedText {
  std::string document;
  std::vector<std::string> notes;     ///< what a user should know, a sentence each
  std::vector<KeptArray> parameters;  ///< if the request asks for them
};

/// import_onnx() of a file in a process of its own: a file that makes libonnx crash is an error
/// like any other. `write` makes the text of the layers. Throws InputError as import_onnx() does,
/// and for a file that cannot be read.
ImportedText import_file(const std::string& path, const ImportRequest& request,
                         const std::function<std::string(const ModelSpec&)>& write);

}  // namespace poet
