// What every command reads and writes, in one table, so that no command can forget to compare. Only
// what is written is listed: what else names a file is read, and must not be lost.

#include "app/command_paths.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "runs/sweep_journal.hpp"

namespace poet::cli {
namespace {

constexpr std::array<std::string_view, 17> kWritten{"--output",
                                                    "--resume",
                                                    "--csv",
                                                    "--plot",
                                                    "--data",
                                                    "--schedules",
                                                    "--plot-directory",
                                                    "--export-model",
                                                    "--certify",
                                                    "--profile",
                                                    "--storage",
                                                    "--checkpoint",
                                                    "--order-output",
                                                    "--outputs-output",
                                                    "--gradients-output",
                                                    "--parameters-output",
                                                    "--log-file"};

/// The samples of `run --data` are read, and what `plot --data` names is written.
bool is_written(const CLI::Option& option, const std::string& name) {
  return std::find(kWritten.begin(), kWritten.end(), name) != kWritten.end() &&
         option.get_type_name() != "[NAME=]FILE";
}

/// Built-in models and platforms have names without a dot or a slash.
bool may_be_built_in(const CLI::Option& option, const std::string& name) {
  const std::string unit = option.get_type_name();
  return unit.starts_with("NAME|") || unit == "LIST" || name == "MODEL";
}

/// The files that a value of an option names, such as both of `a.json,b.json` and the one of
/// `image=x.npy`.
void add_files_read(const CLI::Option& option, const std::string& name, const std::string& value,
                    std::vector<UsedPath>& paths) {
  const bool is_list = option.get_type_name() == "LIST";
  std::size_t begin = option.get_type_name().starts_with('[') ? value.find('=') + 1 : 0;
  while (begin <= value.size()) {
    const std::size_t end = std::min(is_list ? value.find(',', begin) : value.size(), value.size());
    const std::string path = value.substr(begin, end - begin);
    const bool is_path = path == "-" || path.find_first_of("./") != std::string::npos;
    if (is_path || !may_be_built_in(option, name)) paths.push_back({.option = name, .path = path});
    begin = end + 1;
  }
}

void add_paths(const CLI::App& app, const CLI::Option& option, std::vector<UsedPath>& paths) {
  const std::string name = option.get_name();
  const std::string unit = option.get_type_name();
  const bool names_files = option.get_positional() || unit == "LIST" || unit == "DIR" ||
                           unit.find("FILE") != std::string::npos;
  if (!names_files || option.count() == 0) return;
  for (const std::string& value : option.results()) {
    if (!is_written(option, name)) {
      add_files_read(option, name, value, paths);
    } else if (unit == "DIR") {
      paths.push_back({.option = name, .path = value, .use = PathUse::writes_folder});
    } else if (app.get_option_no_throw("--resume") != nullptr &&
               (name == "--output" || name == "--resume")) {
      const std::vector<UsedPath> all = sweep_output(name, value);
      paths.insert(paths.end(), all.begin(), all.end());
    } else {
      paths.push_back({.option = name, .path = value, .use = PathUse::writes});
    }
  }
}

}  // namespace

std::vector<UsedPath> sweep_output(const std::string& option, const std::string& output) {
  if (output.empty()) return {};
  std::vector<UsedPath> paths;
  for (const std::string& path : {output, journal_path(output), request_path(output)}) {
    if (path == output || !is_special_file(output))
      paths.push_back({.option = option, .path = path, .use = PathUse::writes});
  }
  return paths;
}

std::vector<UsedPath> paths_of(const CLI::App& app, const std::string& log_file) {
  std::vector<UsedPath> paths;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_name() != "--log-file") add_paths(app, *option, paths);
  }
  paths.push_back({.option = "--log-file", .path = log_file, .use = PathUse::writes});
  return paths;
}

}  // namespace poet::cli
