#include "base/files/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const char* reason) {
  throw InputError(path, fmt::format("cannot write: {}", reason));
}

/// A file that disappears again unless it is renamed into place.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string target)
      : target_(std::move(target)), path_(fmt::format("{}.tmp.{}", target_, ::getpid())) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0) fail(target_, std::strerror(errno));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void write(std::string_view text) {
    if (!write_fully(fd_, text) || ::fsync(fd_) != 0) fail(target_, std::strerror(errno));
  }
  void commit() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, std::strerror(errno));
    path_.clear();
  }

 private:
  std::string target_;
  std::string path_;
  int fd_ = -1;
};

}  // namespace

bool write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void write_file(const std::string& path, std::string_view text) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) fail(path, std::strerror(errno));
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !written) fail(path, std::strerror(errno));
    return;
  }
  TemporaryFile file(path);
  file.write(text);
  file.commit();
}

void check_writable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) fail(path, "it is a directory; expected a file name");
  const fs::path folder = fs::path(path).parent_path();
  const std::string where = folder.empty() ? "." : folder.string();
  if (!fs::is_directory(where, error)) {
    fail(path, fmt::format("'{}' is not a directory", where).c_str());
  }
  if (::access(where.c_str(), W_OK) != 0) fail(path, std::strerror(errno));
}

void check_folder_writable(const std::string& path) {
  // What is missing of the path will be created in the last folder that is there.
  std::error_code error;
  fs::path there = fs::absolute(path, error);
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  if (!fs::is_directory(there, error)) {
    throw InputError(path, fmt::format("'{}' is not a directory; expected one", there.string()));
  }
  if (::access(there.c_str(), W_OK) != 0) {
    throw InputError(path,
                     fmt::format("cannot write in '{}': {}", there.string(), std::strerror(errno)));
  }
}

bool is_same_file(const std::string& path, const std::string& other) {
  std::error_code error;
  if (fs::equivalent(path, other, error)) return true;
  return fs::weakly_canonical(path, error) == fs::weakly_canonical(other, error);
}

std::string file_stem(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || c == '\\' || byte < 0x20 || byte == 0x7F) c = '_';
  }
  if (name.starts_with('.')) name.front() = '_';
  return name;
}

}  // namespace poet
