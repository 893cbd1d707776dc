#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>

namespace poet::cli {
namespace {

constexpr int kInterruptedStatus = 130;

// A signal handler has nowhere else to leave word.
volatile std::sig_atomic_t signal_count = 0;

extern "C" void on_signal(int signal) {
  // The end of a terminal is told more than once, by the system and by the shell.
  if (signal_count > 0 && signal != SIGHUP) ::_exit(kInterruptedStatus);
  signal_count = 1;
}

/// Whether the caller wants this signal ignored, as nohup does.
bool ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

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
