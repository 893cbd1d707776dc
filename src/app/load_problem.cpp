#include "app/load_problem.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/files/files.hpp"

namespace poet::cli {

void require_option(const std::string& value, const char* option, const char* hint) {
  if (value.empty()) throw InputError(option, fmt::format("missing; {}", hint));
}

void check_destination(const char* option, const std::string& path) {
  if (path.empty()) return;
  in_option(option, [&] {
    check_writable(path);
    return 0;
  });
}

void check_folder(const char* option, const std::string& path) {
  if (path.empty()) return;
  // What is missing of the path will be created in the last folder that is there.
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(path, error);
  while (!std::filesystem::exists(there, error) && there.has_relative_path()) {
    there = there.parent_path();
  }
  if (!std::filesystem::is_directory(there, error)) {
    throw InputError(option,
                     fmt::format("{}: '{}' is no directory; expected one", path, there.string()));
  }
  if (::access(there.c_str(), W_OK) != 0) {
    throw InputError(option, fmt::format("{}: cannot write in '{}': {}", path, there.string(),
                                         std::strerror(errno)));
  }
}

Inputs load_inputs(const Options& options, const char* model_option, ProblemInfo& info) {
  if (options.model == "-" && options.platform == "-") {
    throw InputError("--platform", "found - for both model and platform; stdin can be only one");
  }
  Inputs inputs;
  inputs.model =
      in_option(model_option, [&] { return load_model(options.model, options.batch_size); });
  info.model = model_info(inputs.model);
  if (!options.platform.empty()) {
    inputs.platform = in_option("--platform", [&] { return load_platform(options.platform); });
    info.platform = platform_info(*inputs.platform);
  }
  return inputs;
}

Graph make_costs(const Model& model, const std::optional<Platform>& platform,
                 double mem_power_scale, bool paging, const char* option) {
  if (!platform && model.backward != Backward::explicit_nodes) {
    throw InputError(option,
                     "missing; expected a platform's name or file (--list-platforms): this "
                     "model has no measured costs");
  }
  return cost_graph(model, platform ? &*platform : nullptr, mem_power_scale, paging);
}

std::string file_stem(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || c == '\\' || byte < 0x20 || byte == 0x7F) c = '_';
  }
  if (name.starts_with('.')) name.front() = '_';
  return name;
}

}  // namespace poet::cli
