#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/input_errors.hpp"

namespace poet::cli {

/// Throws InputError with the hint if an option that is needed is missing.
void require_option(const std::string& value, const char* option, const char* hint);

/// Throws InputError, naming the option, if its file could not be written. An empty path is fine.
void check_destination(const char* option, const std::string& path);
/// Likewise for a folder, which need not be there yet, nor the one that it is in.
void check_folder(const char* option, const std::string& path);

/// Throws InputError, naming the argument, if more than one of these is stdin.
void check_one_stdin(const char* argument, std::initializer_list<std::string_view> paths);

}  // namespace poet::cli
