#include "subprocess.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;
constexpr int kOutOfMemory = 4;  // exit status of a child

void send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(3);  // the parent is gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void limit_memory(Bytes bytes) {
#ifdef POET_SANITIZE
  bytes = 0;  // the sanitizer reserves address space in terabytes
#endif
  if (bytes <= 0) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(static_cast<rlim_t>(bytes), limit.rlim_max);
  ::setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void run_child(int fd, const std::function<void(const Send&)>& work, Bytes memory) {
  int status = 0;
  try {
    limit_memory(memory);
    work([fd](std::string_view text) { send_all(fd, text); });
  } catch (const std::bad_alloc&) {
    status = kOutOfMemory;
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_bench: {}\n", error.what());
    status = 1;
  }
  ::_exit(status);
}

Clock::time_point deadline_after(Seconds seconds) {
  if (seconds <= 0) return Clock::time_point::max();
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Reads until the child closes its end. False when the deadline came first.
bool read_until_closed(int fd, Clock::time_point deadline, std::string& output) {
  std::array<char, 65536> buffer;
  while (Clock::now() < deadline) {
    pollfd poll_fd{.fd = fd, .events = POLLIN};
    if (::poll(&poll_fd, 1, kPollMilliseconds) <= 0) continue;
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    output.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return false;
}

}  // namespace

SubprocessResult run_in_subprocess(const std::function<void(const Send&)>& work,
                                   const SubprocessLimits& limits) {
  const Clock::time_point start = Clock::now();
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    throw InternalError(fmt::format("pipe: {}", std::strerror(errno)));
  }
  const pid_t child = ::fork();
  if (child < 0) throw InternalError(fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) {
    ::close(ends[0]);
    run_child(ends[1], work, limits.memory_bytes);
  }
  ::close(ends[1]);
  const auto deadline = deadline_after(limits.wall_seconds);
  SubprocessResult result;
  const bool closed = read_until_closed(ends[0], deadline, result.output);
  ::close(ends[0]);
  if (!closed) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.clean = closed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!closed) {
    result.message = "killed: it did not keep to its time limit";
  } else if (WIFSIGNALED(status)) {
    result.message = fmt::format("ended by signal {}", WTERMSIG(status));
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) {
    result.message = "out of memory";
  } else if (!result.clean) {
    result.message = fmt::format("exit status {}", WEXITSTATUS(status));
  }
  return result;
}

}  // namespace poet::bench
