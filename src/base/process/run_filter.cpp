#include "base/process/run_filter.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/text/printable.hpp"

namespace poet {
namespace {

using Clock = std::chrono::steady_clock;

/// A program that writes more than this has gone wrong.
constexpr std::size_t kMaxOutputBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxErrorBytes = 65536;

/// Both ends of a pipe; closes them when it is destroyed.
class Pipe {
 public:
  Pipe() { open_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }

  bool open() const { return open_; }
  int end(int which) const { return ends_[which]; }
  void close_end(int which) {
    if (ends_[which] >= 0) ::close(ends_[which]);
    ends_[which] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  bool open_ = false;
};

class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  void duplicate(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// The program in the first folder of PATH that has it; empty if none has. What is not an absolute
/// path is passed over: in the folder of a stranger's model, it would run the stranger's program.
std::string found_in_path(const std::string& program) {
  const char* const folders = std::getenv("PATH");
  std::istringstream list(folders == nullptr ? "/usr/local/bin:/usr/bin:/bin" : folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (!folder.starts_with('/')) continue;
    std::string path = (std::filesystem::path(folder) / program).string();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return {};
}

/// Starts the program. Returns 0, or the reason (errno) if it cannot be started.
int spawn(pid_t& child, const std::string& program, std::vector<std::string> arguments, int input,
          const Pipe& out, const Pipe& err) {
  SpawnActions actions;
  actions.duplicate(input, STDIN_FILENO);
  actions.duplicate(out.end(1), STDOUT_FILENO);
  actions.duplicate(err.end(1), STDERR_FILENO);
  const std::string path = found_in_path(program);
  if (path.empty()) return ENOENT;
  arguments.insert(arguments.begin(), program);
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  return ::posix_spawn(&child, path.c_str(), actions.get(), nullptr, words.data(), environ);
}

/// Takes in what has arrived, up to `most` bytes in all, and drops the rest. Closes the pipe at its
/// end.
void read_some(Pipe& pipe, std::string& text, std::size_t most) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(pipe.end(0), buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) return pipe.close_end(0);
  text.append(buffer.data(), std::min(static_cast<std::size_t>(count), most - text.size()));
}

/// Reads both until the program closes them. Returns false if time ran out. Reading them in turn
/// could block forever: a program that waits for room in one pipe does not close the other.
bool read_all(Pipe& out, Pipe& err, FilterRun& run, Clock::time_point deadline) {
  while (out.end(0) >= 0 || err.end(0) >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    // poll() passes over an entry with a negative descriptor.
    std::array<pollfd, 2> waiting{{{out.end(0), POLLIN, 0}, {err.end(0), POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(left)) <= 0) continue;
    if (waiting[0].revents != 0) read_some(out, run.out, kMaxOutputBytes);
    if (waiting[1].revents != 0) read_some(err, run.problem, kMaxErrorBytes);
  }
  return true;
}

FilterRun failed(std::string problem) {
  return {.problem = std::move(problem)};
}

/// A file without a name, in memory, from which a program can read the text; -1 on failure.
int input_with(std::string_view text) {
  const int input = ::memfd_create("input", MFD_CLOEXEC);
  if (input >= 0 && write_fully(input, text) && ::lseek(input, 0, SEEK_SET) == 0) return input;
  if (input >= 0) ::close(input);
  return -1;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Judges a run by its wait status; the first line of stderr is usually the reason of a failure.
FilterRun conclude(FilterRun run, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    if (run.out.size() < kMaxOutputBytes) return {.out = std::move(run.out)};
    return failed(fmt::format("wrote more than {} MiB", kMaxOutputBytes >> 20U));
  }
  std::string message = WIFEXITED(status)
                            ? fmt::format("ended with exit status {}", WEXITSTATUS(status))
                            : fmt::format("killed by signal {}", WTERMSIG(status));
  const std::string line = run.problem.substr(0, run.problem.find('\n'));
  if (!line.empty()) message += ": " + printable(line, 200);
  return failed(std::move(message));
}

}  // namespace

FilterRun run_filter(const std::string& program, const std::vector<std::string>& arguments,
                     std::string_view input, Seconds seconds) {
  Pipe out;
  Pipe err;
  if (!out.open() || !err.open()) return failed("cannot create a pipe");
  const int input_file = input_with(input);
  if (input_file < 0) return failed(fmt::format("cannot get its input: {}", std::strerror(errno)));
  pid_t child = -1;
  const int reason = spawn(child, program, arguments, input_file, out, err);
  ::close(input_file);
  if (reason == ENOENT) return {.problem = "is missing", .missing = true};
  if (reason != 0) return failed(std::strerror(reason));
  out.close_end(1);
  err.close_end(1);
  FilterRun run;
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds));
  if (!read_all(out, err, run, deadline)) {
    ::kill(child, SIGKILL);
    wait_for(child);
    return failed(fmt::format("took longer than {} s", seconds));
  }
  return conclude(std::move(run), wait_for(child));
}

}  // namespace poet
