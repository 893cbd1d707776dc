// CBC and Clp are run in forked copies of this process. They can crash, call exit(), write to
// stdout and overrun their time limit, and none of that may reach the caller or lose the best
// schedule so far. A fork and not a program of its own: the child starts with the whole problem in
// memory, so only answers need a format. What comes back is messages, each its size and then its
// bytes.

#include "base/process/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// More than any solver sends: a larger size is garbage, not a size.
constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 34;

/// Sends size and bytes of a message. Any thread of a child may report, and a pipe keeps only small
/// writes whole, so the lock spans the message.
void send_message(int fd, const Message& message) {
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  const std::uint64_t size = message.size();
  Message framed(sizeof size + message.size());
  std::memcpy(framed.data(), &size, sizeof size);
  std::copy(message.begin(), message.end(), framed.begin() + sizeof size);
  const auto* const bytes = reinterpret_cast<const char*>(framed.data());
  if (!write_fully(fd, {bytes, framed.size()})) ::_exit(3);  // the parent is gone
}

/// If the machine runs out of memory, lets the system end this process and not its parent, which
/// knows the best schedule so far. The children of a stand-in go before it.
void go_first_when_memory_runs_out(ChildRole role) {
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  const std::string_view score = role == ChildRole::stand_in ? "500" : "1000";
  // A system that does not allow it keeps its own order.
  [[maybe_unused]] const ssize_t written = ::write(file, score.data(), score.size());
  ::close(file);
}

/// Whether this process has threads besides the one that asks; true if nobody can tell.
bool has_other_threads() {
  std::error_code error;
  std::filesystem::directory_iterator threads("/proc/self/task", error);
  int count = 0;
  while (!error && threads != std::filesystem::directory_iterator()) {
    ++count;
    threads.increment(error);
  }
  return error || count != 1;
}

/// Does the work and never returns. Runs no destructor or exit handler of the parent's, which could
/// flush its buffers twice.
[[noreturn]] void run_child(int fd, pid_t parent, const ChildWork& work, ChildRole role) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(3);  // the parent ended before prctl() took effect
  go_first_when_memory_runs_out(role);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  struct sigaction of_parent {};
  ::sigaction(SIGTERM, nullptr, &of_parent);
  const bool ignored = role == ChildRole::stand_in || of_parent.sa_handler == SIG_IGN;
  std::signal(SIGTERM, ignored ? SIG_IGN : SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  const int null = ::open("/dev/null", O_WRONLY);
  if (null >= 0) ::dup2(null, STDOUT_FILENO);
  int status = 0;
  try {
    work([fd](const Message& message) { send_message(fd, message); });
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
  if (size > kMaxMessageBytes) {
    throw MalformedMessage(fmt::format("a message of {} bytes is announced", size));
  }
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

Child::Child(const ChildWork& work, ChildRole role) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw InternalError(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  }
  const pid_t parent = ::getpid();
  const bool skips_handlers = role == ChildRole::stand_in && !has_other_threads();
  pid_ = skips_handlers ? ::_Fork() : ::fork();
  if (pid_ == 0) {
    ::close(ends[0]);
    run_child(ends[1], parent, work, role);
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
  if (result.clean && reader_.holds_fragment()) {
    result.clean = false;
    result.message = "ended in the middle of a message";
  }
  return result;
}

}  // namespace poet
