#include "solver/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 50;

/// A file descriptor that is closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close_now(); }
  int get() const { return fd_; }
  void close_now() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

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

/// Never returns; runs no destructor or exit handler of the parent's.
[[noreturn]] void run_child(
    int fd, const std::function<void(const std::function<void(const Message&)>&)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
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

/// Cuts the byte stream of the pipe into messages.
class MessageReader {
 public:
  void append(std::span<const std::byte> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  bool next(Message& message) {
    std::uint64_t size = 0;
    if (buffer_.size() - at_ < sizeof size) return compact();
    std::memcpy(&size, buffer_.data() + at_, sizeof size);
    if (buffer_.size() - at_ - sizeof size < size) return compact();
    const auto begin = buffer_.begin() + static_cast<std::ptrdiff_t>(at_ + sizeof size);
    message.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    at_ += sizeof size + size;
    return true;
  }

 private:
  bool compact() {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    return false;
  }
  std::vector<std::byte> buffer_;
  std::size_t at_ = 0;
};

/// Pumps messages until the child closes its end; false when the caller or the clock says stop.
bool pump(int fd, const std::function<bool(const Message&)>& on_message,
          const std::function<bool()>& on_tick, Clock::time_point deadline) {
  MessageReader reader;
  Message message;
  std::array<std::byte, 65536> chunk;
  while (true) {
    if (!on_tick() || Clock::now() >= deadline) return false;
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, kTickMilliseconds);
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    const ssize_t count = ::read(fd, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    reader.append({chunk.data(), static_cast<std::size_t>(count)});
    while (reader.next(message)) {
      if (!on_message(message)) return false;
    }
  }
}

Clock::time_point deadline_after(Seconds seconds) {
  constexpr Seconds kYear = 365.0 * 24 * 3600;
  const auto capped = std::chrono::duration<double>(std::min(seconds, kYear));
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(capped);
}

}  // namespace

ChildExit run_in_child(const std::function<void(const std::function<void(const Message&)>&)>& work,
                       const std::function<bool(const Message&)>& on_message,
                       const std::function<bool()>& on_tick, Seconds seconds) {
  const Clock::time_point deadline = deadline_after(seconds);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw InternalError(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  }
  Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) throw InternalError(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child == 0) {
    read_end.close_now();
    run_child(write_end.get(), work);
  }
  write_end.close_now();

  ChildExit result;
  const auto reap = [&] {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  };
  try {
    result.killed = !pump(read_end.get(), on_message, on_tick, deadline);
  } catch (...) {
    ::kill(child, SIGKILL);
    reap();
    throw;
  }
  if (result.killed) ::kill(child, SIGKILL);
  const int status = reap();
  result.clean = !result.killed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!result.clean && !result.killed) result.message = describe(status);
  return result;
}

}  // namespace poet
