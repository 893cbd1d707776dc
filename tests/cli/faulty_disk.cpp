// A library to load before the others, for a disk that fills up and a user who is impatient:
//   LD_PRELOAD=libfaulty_disk.so POET_TEST_DISK=bytes:100 poet-solve ...     has room for 100 bytes
//   LD_PRELOAD=libfaulty_disk.so POET_TEST_DISK=call:3 poet-solve ...   is full from the fourth
//   call
//       on that changes a file or a folder
//   LD_PRELOAD=libfaulty_disk.so POET_TEST_DISK=signal:3 POET_TEST_SIGNALS=15,15 poet-solve ...
//       gets these signals just before that call
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

long calls = 0;
long bytes = 0;
const pid_t program = ::getpid();

/// The number behind a word of POET_TEST_DISK; -1 if that has another word.
long wish(const char* word) {
  const char* const all = std::getenv("POET_TEST_DISK");
  const std::size_t length = std::strlen(word);
  if (all == nullptr || std::strncmp(all, word, length) != 0) return -1;
  return std::strtol(all + length, nullptr, 10);
}

void raise_signals() {
  const char* signals = std::getenv("POET_TEST_SIGNALS");
  ::dprintf(STDERR_FILENO, "signals: %s\n", signals);
  while (signals != nullptr && *signals != '\0') {
    char* end = nullptr;
    ::kill(program, static_cast<int>(std::strtol(signals, &end, 10)));
    signals = *end == ',' ? end + 1 : end;
  }
}

/// Whether this call finds the disk full. Children of the program write no files.
bool is_full() {
  if (::getpid() != program) return false;
  if (calls == wish("signal:")) raise_signals();
  const long most = wish("call:");
  return (calls++ >= most && most >= 0) || (wish("bytes:") >= 0 && bytes >= wish("bytes:"));
}

int fail() {
  errno = ENOSPC;
  return -1;
}

bool is_on_disk(int fd) {
  struct stat info {};
  char name[32] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
         ::readlink(link.c_str(), name, sizeof name - 1) > 0 &&
         std::strncmp(name, "/memfd", 6) != 0;
}

template <typename Function>
Function* next(const char* symbol, Function*) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, symbol));
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, size_t size) {
  const auto real = next("write", &::write);
  if (!is_on_disk(fd)) return real(fd, data, size);
  if (is_full()) return fail();
  if (const long room = wish("bytes:"); room >= 0) {
    size = std::min(size, static_cast<size_t>(room - bytes));
  }
  bytes += static_cast<long>(size);
  return real(fd, data, size);
}

int fsync(int fd) {
  return is_on_disk(fd) && is_full() ? fail() : next("fsync", &::fsync)(fd);
}

int fdatasync(int fd) {
  return is_on_disk(fd) && is_full() ? fail() : next("fdatasync", &::fdatasync)(fd);
}

int rename(const char* from, const char* to) noexcept {
  return is_full() ? fail() : next("rename", &::rename)(from, to);
}

int mkdir(const char* name, mode_t mode) noexcept {
  return is_full() ? fail() : next("mkdir", &::mkdir)(name, mode);
}
}
