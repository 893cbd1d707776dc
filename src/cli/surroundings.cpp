#include "cli/surroundings.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

namespace poet::cli {

void secure_surroundings() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is `fd`; the mode is the one that its use does not have.
    const int taken = ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    static_cast<void>(taken);  // without /dev/null there is nothing to be done
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

void end_with_reader() {
  std::signal(SIGPIPE, SIG_DFL);
}

}  // namespace poet::cli
