// A library to load before the others, in whose fork() a process gets lost, as in a handler of a
// library that waits for a thread that is not there. The process of a solve comes about without
// fork(), and is the first to call it in a solve:
//   LD_PRELOAD=libstuck_fork.so POET_TEST_FORK=hang:0 poet-solve ...    fork() never returns, and
//       no signal reaches the process, where so many fork() lie between it and the program; it says
//       "lost in fork()"
//   LD_PRELOAD=libstuck_fork.so POET_TEST_FORK=abort:0 poet-solve ...   it ends the process instead
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

/// How many fork() lie between the program and this process.
int generation = 0;

const int counted = ::pthread_atfork(nullptr, nullptr, [] { ++generation; });

[[noreturn]] void hang() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  constexpr std::string_view kNews = "lost in fork()\n";
  [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, kNews.data(), kNews.size());
  while (true) ::pause();
}

bool is_wanted(const char* kind) {
  const char* const wanted = std::getenv("POET_TEST_FORK");
  const std::size_t length = std::strlen(kind);
  return counted == 0 && wanted != nullptr && std::strncmp(wanted, kind, length) == 0 &&
         std::atoi(wanted + length) == generation;
}

}  // namespace

extern "C" pid_t fork() {
  if (is_wanted("hang:")) hang();
  if (is_wanted("abort:")) std::abort();
  static const auto real = reinterpret_cast<pid_t (*)()>(::dlsym(RTLD_NEXT, "fork"));
  return real();
}
