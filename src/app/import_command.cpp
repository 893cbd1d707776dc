#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/onnx_model.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/model.hpp"

namespace poet::cli {

Outcome run_import(const Options& options) {
  check_destination("--output", options.output);
  std::error_code error;
  if (std::filesystem::equivalent(options.input_file, options.output, error)) {
    throw InputError("--output", "found the file of NETWORK; expected another one");
  }
  std::string document = imported_model(options.network, options.input_file);
  const Model model = parse_model(document, options.input_file);
  std::int64_t parameters = 0;
  int layers = 0;
  for (const ModelNode& node : model.nodes) {
    if (!node.backward) ++layers;
    parameters += node.parameter_count;
  }
  spdlog::info("{}: {} tensors in the forward pass, {} parameters",
               shown_source(options.input_file), layers, parameters);
  return {.document = std::move(document), .output = options.output};
}

}  // namespace poet::cli
