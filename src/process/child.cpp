#include "process/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {
namespace {

void write_all(int fd, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(fd, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(3);  // the parent is gone
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

/// Where the machine runs out of memory, the system is to end this process and not its parent,
/// which knows the best schedule so far.
void go_first_when_memory_runs_out() {
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  constexpr std::string_view kMost = "1000";
  // Where it is not allowed, things stay as they are.
  [[maybe_unused]] const ssize_t written = ::write(file, kMost.data(), kMost.size());
  ::close(file);
}

/// Never returns; runs no destructor or exit handler of the parent's.
[[noreturn]] void run_child(int fd, pid_t parent, const ChildWork& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(3);  // it went before it could be watched
  go_first_when_memory_runs_out();
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  const int null = ::open("/dev/null", O_WRONLY);
  if (null >= 0) ::dup2(null, STDOUT_FILENO);
  int status = 0;
  try {
    work([fd](const Message& message) {
      const std::uint64_t size = message.size();
      write_all(fd, &size, sizeof size);
      write_all(fd, message.data(), message.size());
    });
  } catch (const std::bad_alloc&) {
    status = 4;
  } catch (...) {
    status = 5;
  }
  ::_exit(status);
}

std::string describe(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    return fmt::format("killed by signal {} ({})", signal, ::strsignal(signal));
  }
  switch (WEXITSTATUS(wait_status)) {
    case 4:
      return "out of memory";
    case 5:
      return "ended by an exception";
    default:
      return fmt::format("ended with exit status {}", WEXITSTATUS(wait_status));
  }
}

}  // namespace

bool MessageReader::next(Message& message) {
  std::uint64_t size = 0;
  if (buffer_.size() - at_ < sizeof size) return compact();
  std::memcpy(&size, buffer_.data() + at_, sizeof size);
  if (buffer_.size() - at_ - sizeof size < size) return compact();
  const auto begin = buffer_.begin() + static_cast<std::ptrdiff_t>(at_ + sizeof size);
  message.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
  at_ += sizeof size + size;
  return true;
}

bool MessageReader::compact() {
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  return false;
}

Child::Child(const ChildWork& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw InternalError(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  }
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::close(ends[0]);
    run_child(ends[1], parent, work);
  }
  const int reason = errno;
  ::close(ends[1]);
  if (pid_ < 0) {
    ::close(ends[0]);
    throw InternalError(fmt::format("cannot fork: {}", std::strerror(reason)));
  }
  fd_ = ends[0];
}

Child::~Child() {
  if (fd_ >= 0) end(true);
}

bool Child::receive(const std::function<bool(const Message&)>& on_message) {
  std::array<std::byte, 65536> chunk;
  const ssize_t count = ::read(fd_, chunk.data(), chunk.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) {
    closed_ = true;
    return true;
  }
  reader_.append({chunk.data(), static_cast<std::size_t>(count)});
  Message message;
  while (reader_.next(message)) {
    if (!on_message(message)) return false;
  }
  return true;
}

ChildExit Child::end(bool by_force) {
  if (by_force) ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ::close(fd_);
  fd_ = -1;
  ChildExit result{.killed = by_force};
  result.clean = !by_force && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!result.clean && !by_force) result.message = describe(status);
  return result;
}

}  // namespace poet
