#include "base/files/files.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OwnedFile = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw InputError(shown_source(path), "cannot read: " + reason);
}

[[noreturn]] void fail_too_large(const std::string& path, std::size_t max_bytes) {
  fail(path, fmt::format("larger than {} MiB, the most a file of ours may have", max_bytes >> 20U));
}

std::string reason(int code) {
  return std::generic_category().message(code);
}

/// Counts while it reads: a pipe has no size, and a file can grow.
std::string read_all(std::FILE* file, const std::string& path, std::size_t max_bytes) {
  std::string text;
  std::array<char, 1 << 16> buffer{};
  while (true) {
    errno = 0;
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file);
    text.append(buffer.data(), count);
    if (text.size() > max_bytes) fail_too_large(path, max_bytes);
    if (count == buffer.size()) continue;
    if (std::ferror(file) != 0) fail(path, reason(errno));
    return text;
  }
}

/// Opens what can be read; the reasons why not are in words that more readers understand than
/// errno's.
OwnedFile open_to_read(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    fail(path, error ? error.message() : reason(ENOENT));
  }
  if (std::filesystem::is_directory(status)) fail(path, "it is a directory, expected a file");
  OwnedFile file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(path, reason(errno));
  return file;
}

}  // namespace

std::string read_file(const std::string& path, std::size_t max_bytes) {
  if (path == "-") return read_all(stdin, path, max_bytes);
  std::error_code error;
  const OwnedFile file = open_to_read(path);
  if (std::filesystem::is_regular_file(path, error)) {
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > max_bytes) fail_too_large(path, max_bytes);
  }
  return read_all(file.get(), path, max_bytes);
}

std::string read_beginning(const std::string& path, std::size_t count) {
  const OwnedFile file = open_to_read(path);
  std::string text(count, '\0');
  errno = 0;
  text.resize(std::fread(text.data(), 1, count, file.get()));
  if (std::ferror(file.get()) != 0) fail(path, reason(errno));
  return text;
}

}  // namespace poet
