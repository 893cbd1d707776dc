// A library to load before the others, which changes when the bytes of a message reach a pipe, and
// nothing else. Threads that write a message in several steps, without a lock over all of them,
// then mix their bytes:
//   LD_PRELOAD=libslow_pipe.so POET_TEST_PIPE=tear:40 poet-solve ...   pauses after a write of
//   eight
//       bytes, the size of a message, from the 41st on; the ones before go out with what follows
//       them
//   LD_PRELOAD=libslow_pipe.so POET_TEST_PIPE=short poet-solve ...     writes half of what it is
//   given,
//       and pauses
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace {

using Write = ssize_t (*)(int, const void*, std::size_t);

constexpr useconds_t kTearMicroseconds = 3000;
constexpr useconds_t kShortMicroseconds = 300;
constexpr std::size_t kHeaderBytes = 8;

Write real_write() {
  static const auto real = reinterpret_cast<Write>(::dlsym(RTLD_NEXT, "write"));
  return real;
}

bool is_pipe(int fd) {
  struct stat info {};
  return fd > STDERR_FILENO && ::fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
}

ssize_t torn_write(int fd, const void* data, std::size_t size, int first_torn) {
  static std::mutex whole;
  static std::atomic<int> headers{0};
  thread_local bool within_message = false;
  if (within_message) {
    const ssize_t written = real_write()(fd, data, size);
    within_message = false;
    whole.unlock();
    return written;
  }
  if (size != kHeaderBytes) return real_write()(fd, data, size);
  if (++headers > first_torn) {
    const ssize_t written = real_write()(fd, data, size);
    ::usleep(kTearMicroseconds);
    return written;
  }
  whole.lock();
  within_message = true;
  return real_write()(fd, data, size);
}

ssize_t short_write(int fd, const void* data, std::size_t size) {
  if (size < 2) return real_write()(fd, data, size);
  const ssize_t written = real_write()(fd, data, size / 2);
  ::usleep(kShortMicroseconds);
  return written;
}

}  // namespace

extern "C" ssize_t write(int fd, const void* data, std::size_t size) {
  const char* const wanted = std::getenv("POET_TEST_PIPE");
  if (wanted == nullptr || !is_pipe(fd)) return real_write()(fd, data, size);
  if (std::strncmp(wanted, "tear:", 5) == 0) {
    return torn_write(fd, data, size, std::atoi(wanted + 5));
  }
  return short_write(fd, data, size);
}
