#include "subprocess.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;

[[noreturn]] void run_child(int fd, const std::function<std::string()>& work) {
  int status = 0;
  try {
    const std::string output = work();
    std::size_t at = 0;
    while (at < output.size()) {
      const ssize_t written = ::write(fd, output.data() + at, output.size() - at);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) ::_exit(3);  // the parent is gone
      at += static_cast<std::size_t>(written);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_bench: {}\n", error.what());
    status = 1;
  }
  ::_exit(status);
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

SubprocessResult run_in_subprocess(const std::function<std::string()>& work, Seconds seconds) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    throw InternalError(fmt::format("pipe: {}", std::strerror(errno)));
  }
  const pid_t child = ::fork();
  if (child < 0) throw InternalError(fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) {
    ::close(ends[0]);
    run_child(ends[1], work);
  }
  ::close(ends[1]);
  const auto deadline = seconds > 0 ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                         std::chrono::duration<double>(seconds))
                                    : Clock::time_point::max();
  SubprocessResult result;
  const bool closed = read_until_closed(ends[0], deadline, result.output);
  ::close(ends[0]);
  if (!closed) ::kill(child, SIGKILL);
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.peak_rss_bytes = Bytes{usage.ru_maxrss} * 1024;
  result.clean = closed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!closed) {
    result.message = "killed: it did not keep to its time limit";
  } else if (WIFSIGNALED(status)) {
    result.message = fmt::format("ended by signal {}", WTERMSIG(status));
  } else if (!result.clean) {
    result.message = fmt::format("exit status {}", WEXITSTATUS(status));
  }
  return result;
}

}  // namespace poet::bench
