#pragma once

#include <string>

#include "app/options.hpp"

namespace poet::cli {

/// Whether a model is an ONNX file: by the end of its name.
bool is_onnx(const std::string& path);

/// The model file of an ONNX file, with the layers, the loss and what trains as the options say.
/// What a user should know goes to the log. libonnx works in a process of its own: a file that
/// makes it crash is an error like any other. Throws InputError.
std::string imported_model(const NetworkArguments& arguments, const std::string& path);

/// Throws InputError for options about ONNX files beside another model.
void refuse_network_options(const Options& options);

}  // namespace poet::cli
