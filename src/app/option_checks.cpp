#include "app/option_checks.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "poet/error.hpp"

namespace poet::cli {

void require_option(const std::string& value, const char* option, const char* hint) {
  if (value.empty()) throw InputError(option, fmt::format("missing; {}", hint));
}

void check_destination(const char* option, const std::string& path) {
  if (path.empty()) return;
  with_place(option, [&] { check_writable(path); });
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

void check_one_stdin(const char* argument, std::initializer_list<std::string_view> paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw InputError(argument, "found - twice; stdin can be only one of the files");
  }
}

}  // namespace poet::cli
