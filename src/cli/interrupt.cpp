#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>

namespace poet::cli {
namespace {

constexpr int kInterruptedStatus = 130;

// A signal handler has nowhere else to leave word.
volatile std::sig_atomic_t signal_count = 0;

extern "C" void on_signal(int /*signal*/) {
  if (signal_count > 0) ::_exit(kInterruptedStatus);
  signal_count = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return signal_count > 0;
}

}  // namespace poet::cli
