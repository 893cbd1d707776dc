// What every command reads and writes, in one table, so that no command can forget to compare. The
// units of --help tell files from other values.

#include "app/command_paths.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "runs/sweep_journal.hpp"

namespace poet::cli {
namespace {

/// What names one file or folder is written, but for these. Other units name what may be read.
bool is_written(const std::string& name, const std::string& unit) {
  constexpr std::array<std::string_view, 4> kRead{"--collect", "--exported", "--parameters",
                                                  "--warm-start"};
  return (unit.starts_with("FILE") || unit == "DIR") &&
         std::find(kRead.begin(), kRead.end(), name) == kRead.end();
}

/// The files that a value names, such as both of `a.json,b.json` and the one of `image=x.npy`.
/// Built-in models and platforms have names without a dot or a slash.
void add_files_read(const std::string& name, const std::string& unit, const std::string& value,
                    std::vector<UsedPath>& paths) {
  const bool may_be_built_in = unit.starts_with("NAME|") || unit == "LIST" || name == "MODEL";
  std::istringstream words(unit.starts_with('[') ? value.substr(value.find('=') + 1) : value);
  for (std::string path; std::getline(words, path, unit == "LIST" ? ',' : '\0');) {
    const bool is_path = path == "-" || path.find_first_of("./") != std::string::npos;
    if (is_path || !may_be_built_in) paths.push_back({.option = name, .path = path});
  }
}

void add_paths(const CLI::Option& option, bool is_sweep, std::vector<UsedPath>& paths) {
  const std::string name = option.get_name();
  const std::string unit = option.get_type_name();
  const bool names_files = option.get_positional() || unit == "LIST" || unit == "DIR" ||
                           unit == "SCHEDULE" || unit.find("FILE") != std::string::npos;
  if (!names_files || option.count() == 0) return;
  for (const std::string& value : option.results()) {
    if (!is_written(name, unit)) {
      add_files_read(name, unit, value, paths);
    } else if (is_sweep && (name == "--output" || name == "--resume")) {
      add_sweep_output(name, value, paths);
    } else {
      const PathUse use = unit == "DIR" ? PathUse::writes_folder : PathUse::writes;
      paths.push_back({.option = name, .path = value, .use = use});
    }
  }
}

}  // namespace

void add_sweep_output(const std::string& option, const std::string& output,
                      std::vector<UsedPath>& paths) {
  paths.push_back({.option = option, .path = output, .use = PathUse::writes});
  if (output.empty() || is_special_file(output)) return;
  for (const std::string& path : {journal_path(output), request_path(output)}) {
    paths.push_back({.option = option, .path = path, .use = PathUse::writes});
  }
}

std::vector<UsedPath> paths_of(const CLI::App& app, const std::string& log_file) {
  const CLI::Option* const resume = app.get_option_no_throw("--resume");
  const bool goes_on = resume != nullptr && resume->count() > 0;
  std::vector<UsedPath> paths;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (name == "--log-file" || (goes_on && name == "--output")) continue;  // the latter is refused
    add_paths(*option, resume != nullptr, paths);
  }
  paths.push_back({.option = "--log-file", .path = log_file, .use = PathUse::writes});
  return paths;
}

}  // namespace poet::cli
