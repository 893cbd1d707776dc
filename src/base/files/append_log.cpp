// A write-ahead log in its simplest form: one write() and one fdatasync() for each line. A line
// stands for a solve, so the flush costs little beside it.

#include "base/files/append_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// A new file survives a power cut only once its folder is on the disk as well.
void sync_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

Journal Journal::create(const std::string& path, std::string_view first_line) {
  Journal journal(path);
  journal.open(O_CREAT | O_EXCL);
  journal.lock();
  journal.append(first_line);
  sync_folder(path);
  return journal;
}

Journal Journal::reopen(const std::string& path) {
  Journal journal(path);
  journal.open(0);
  journal.lock();
  journal.read_lines();
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      lines_(std::move(other.lines_)) {}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

void Journal::open(int flags) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
  if (fd_ < 0) fail("open");
}

// Locks for the process (fcntl) and not for the open file (flock): a child that outlives this
// process has a copy of the descriptor, and must not keep the file locked.
void Journal::lock() const {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd_, F_SETLK, &lock) == 0) return;
  if (errno == EACCES || errno == EAGAIN) {
    throw InputError(path_, "another sweep is writing it");
  }
  // Some network file systems have no locks. The work goes on without.
}

void Journal::read_lines() {
  std::string text;
  std::array<char, 1 << 16> buffer{};
  while (true) {
    const ssize_t count =
        ::pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read");
    if (count == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines_.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (begin < text.size() && ::ftruncate(fd_, static_cast<off_t>(begin)) != 0) fail("shorten");
}

void Journal::append(std::string_view line) {
  if (!write_fully(fd_, std::string(line) + '\n') || ::fdatasync(fd_) != 0) fail("write");
}

void Journal::rename(const std::string& path) {
  if (path == path_) return;
  if (::rename(path_.c_str(), path.c_str()) != 0) fail("rename");
  path_ = path;
  sync_folder(path);
}

void Journal::fail(const char* action) const {
  throw InputError(path_, fmt::format("cannot {}: {}", action, std::strerror(errno)));
}

}  // namespace poet
