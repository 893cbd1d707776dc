// Signals and descriptors. The handler only sets a flag, which solves poll between steps; what a
// library does meanwhile ends with its process. A second signal ends the program at once, for users
// who do not want to wait, but the system and the shell both send SIGHUP when a terminal ends, so
// that one never counts as the second.

#include "app/terminal/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "poet/exit_code.hpp"

namespace poet::cli {
namespace {

// A signal handler can leave word nowhere else.
volatile std::sig_atomic_t signal_count = 0;

extern "C" void on_signal(int signal) {
  // When a terminal ends, both the system and the shell send SIGHUP.
  if (signal_count > 0 && signal != SIGHUP) ::_exit(static_cast<int>(ExitCode::interrupted));
  signal_count = 1;
}

/// Whether the caller wants this signal ignored, as nohup does.
bool ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

/// Each line answers a fault that happened: with stdin and stdout closed, the pipe to CBC got their
/// numbers; a limit on file sizes killed the program and left its temporary file; `2>&1 | head`
/// killed a solve whose document goes to a file.
void set_up_process() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is `fd`. Open it in the mode that its use does not have.
    const int taken = ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    static_cast<void>(taken);  // without /dev/null nothing can be done
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

void end_with_reader() {
  std::signal(SIGPIPE, SIG_DFL);
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  if (!ignored(SIGHUP)) ::sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() {
  return signal_count > 0;
}

}  // namespace poet::cli
