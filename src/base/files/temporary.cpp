// A killed process cannot clean up, and its number says nothing in a container. A lock does: the
// system drops it when the process is gone, so what nobody has locked is a leftover.

#include "base/files/temporary.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <system_error>

#include <fmt/format.h>

namespace poet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryStart = ".poet-";
constexpr std::string_view kTemporaryEnd = ".tmp";
constexpr std::size_t kTemporaryDigits = 16;

}  // namespace

std::string temporary_name() {
  std::random_device draw;
  const std::uint64_t number = (std::uint64_t{draw()} << 32U) | draw();
  return fmt::format("{}{:0{}x}{}", kTemporaryStart, number, kTemporaryDigits, kTemporaryEnd);
}

bool is_temporary_name(std::string_view name) {
  return name.size() == kTemporaryStart.size() + kTemporaryDigits + kTemporaryEnd.size() &&
         name.starts_with(kTemporaryStart) && name.ends_with(kTemporaryEnd);
}

void mark_as_written(int fd) {
  ::flock(fd, LOCK_EX);
}

void remove_leftovers(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const fs::path path = entry->path();
    if (!is_temporary_name(path.filename().string())) continue;
    const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) continue;
    std::error_code ignored;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, ignored);
    ::close(fd);
  }
}

SignalsWait::SignalsWait() {
  sigset_t ending;
  ::sigemptyset(&ending);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&ending, signal);
  ::sigprocmask(SIG_BLOCK, &ending, &before_);
}

SignalsWait::~SignalsWait() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace poet
