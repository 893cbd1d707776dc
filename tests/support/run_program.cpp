#include "support/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <system_error>

namespace poet::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCannotRun = 127;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(int end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
  std::array<int, 2> ends{-1, -1};
};

/// Puts a terminal in the place of a pipe.
void make_terminal(Pipe& pipe, unsigned short columns) {
  pipe.close_end(0);
  pipe.close_end(1);
  pipe.ends[0] = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (pipe.ends[0] < 0 || ::grantpt(pipe.ends[0]) != 0 || ::unlockpt(pipe.ends[0]) != 0) {
    fail("posix_openpt");
  }
  pipe.ends[1] = ::open(::ptsname(pipe.ends[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (pipe.ends[1] < 0) fail("open a terminal");
  const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(pipe.ends[1], TIOCSWINSZ, &size);
}

[[noreturn]] void become(const Command& command, const Pipe& in, const Pipe& out, const Pipe& err) {
  ::dup2(in.ends[0], STDIN_FILENO);
  ::dup2(out.ends[1], STDOUT_FILENO);
  ::dup2(err.ends[1], STDERR_FILENO);
  std::signal(SIGPIPE, SIG_DFL);
  if (!command.directory.empty() && ::chdir(command.directory.c_str()) != 0) ::_exit(kCannotRun);
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words{const_cast<char*>(command.program.c_str())};
  for (const std::string& word : command.arguments)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(kCannotRun);
}

/// Talks to the program until it has closed both of its outputs.
class Conversation {
 public:
  Conversation(const Command& command, pid_t child, Pipe& in, Pipe& out, Pipe& err)
      : command_(command), child_(child), in_(in), out_(out), err_(err), start_(Clock::now()) {
    ::fcntl(in_.ends[1], F_SETFL, O_NONBLOCK);
  }

  Finished run() {
    while (out_.ends[0] >= 0 || err_.ends[0] >= 0) {
      if (seconds() > command_.kill_after_seconds && !result_.killed) {
        result_.killed = true;
        ::kill(child_, SIGKILL);
      }
      step();
    }
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    result_.wall_seconds = seconds();
    if (WIFEXITED(status)) result_.status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    return result_;
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void step() {
    if (written_ == command_.stdin_text.size()) in_.close_end(1);
    // poll() passes over an entry with a negative descriptor.
    std::array<pollfd, 3> waiting{
        {{in_.ends[1], POLLOUT, 0}, {out_.ends[0], POLLIN, 0}, {err_.ends[0], POLLIN, 0}}};
    constexpr int kTickMilliseconds = 100;
    if (::poll(waiting.data(), waiting.size(), kTickMilliseconds) <= 0) return;
    if (waiting[0].revents != 0) write_some();
    if (waiting[1].revents != 0) read_some(out_, result_.out);
    if (waiting[2].revents != 0) {
      read_some(err_, result_.err);
      interrupt_when_due();
    }
  }

  void write_some() {
    const std::string& text = command_.stdin_text;
    const ssize_t count = ::write(in_.ends[1], text.data() + written_, text.size() - written_);
    if (count > 0) written_ += static_cast<std::size_t>(count);
    // A program need not read all that it is given.
    if (count < 0 && errno != EINTR && errno != EAGAIN) written_ = text.size();
  }

  static void read_some(Pipe& pipe, std::string& text) {
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(pipe.ends[0], buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) pipe.close_end(0);
  }

  void interrupt_when_due() {
    if (interrupted_ || command_.interrupt_after.empty()) return;
    if (result_.err.find(command_.interrupt_after) == std::string::npos) return;
    interrupted_ = true;
    if (command_.interrupt) {
      command_.interrupt(child_);
    } else {
      for (const int signal : command_.signals) ::kill(child_, signal);
    }
  }

  const Command& command_;
  pid_t child_;
  Pipe& in_;
  Pipe& out_;
  Pipe& err_;
  Clock::time_point start_;
  std::size_t written_ = 0;
  bool interrupted_ = false;
  Finished result_;
};

}  // namespace

Finished run_program(const Command& command) {
  std::signal(SIGPIPE, SIG_IGN);  // the program may end before it has read its stdin
  Pipe in;
  Pipe out;
  Pipe err;
  if (command.stderr_is_terminal) make_terminal(err, command.terminal_columns);
  if (command.stdout_is_terminal) make_terminal(out, command.terminal_columns);
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) become(command, in, out, err);
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  return Conversation(command, child, in, out, err).run();
}

}  // namespace poet::test
