// A text goes into a file with a temporary name, which takes the place of the target once it is
// whole and on the disk.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/files/paths.hpp"
#include "base/files/temporary.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kNewFile = 0666;      // less what the user masks
constexpr mode_t kPermissions = 0777;  // a new text gets no set-user-ID bit

/// Throws for what the user called `path`.
[[noreturn]] void fail_to_write(const std::string& path) {
  throw InputError(path, fmt::format("cannot write: {}", std::strerror(errno)));
}

/// A file that is gone again unless it is put in its place. `path` is what the user calls it.
class UnfinishedFile {
 public:
  UnfinishedFile(const std::string& path, const fs::path& target) : path_(path), target_(target) {
    struct stat made {};
    do {
      if (fd_ >= 0) ::close(fd_);
      temporary_ = target.parent_path() / temporary_name();
      fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile);
      if (fd_ < 0) fail_to_write(path_);
      mark_as_written(fd_);
      // Before it was marked, another process may have taken it for a leftover.
    } while (::fstat(fd_, &made) == 0 && made.st_nlink == 0);
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    ::close(fd_);
  }

  void write(std::string_view text) const {
    struct stat earlier {};
    if (::stat(target_.c_str(), &earlier) == 0) {
      // Only some users may give files away; the others own what they replace, or are its group.
      static_cast<void>(::fchown(fd_, earlier.st_uid, earlier.st_gid) == 0);
      ::fchmod(fd_, earlier.st_mode & kPermissions);
    }
    if (!write_fully(fd_, text) || ::fsync(fd_) != 0) fail_to_write(path_);
  }

  void put_in_place() {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_to_write(path_);
    temporary_.clear();
  }

 private:
  const SignalsWait signals_{};
  std::string path_;
  fs::path target_, temporary_;
  int fd_ = -1;
};

/// Into what is there, such as a device, a pipe or a descriptor, which cannot be replaced.
void write_in_place(const std::string& path, int fd, std::string_view text) {
  if (fd < 0 || !write_fully(fd, text)) fail_to_write(path);
  if (::close(fd) != 0) fail_to_write(path);
}

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
  const std::string target = followed(path);
  if (const auto fd = descriptor_of(target)) {
    write_in_place(path, ::dup(*fd), text);
  } else if (is_special_file(target)) {
    write_in_place(path, ::open(target.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC), text);
  } else {
    UnfinishedFile file(path, target);
    file.write(text);
    file.put_in_place();
  }
}

}  // namespace poet
