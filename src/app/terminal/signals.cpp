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
