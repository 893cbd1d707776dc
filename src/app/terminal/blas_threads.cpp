// The program forks, and a process with threads cannot do so safely. OpenBLAS starts its threads
// when it is loaded; with little address space it waits forever in fork() for those that it could
// not start, or ends the process at once. The solver's vectors are too short for threads anyway.
//
// OpenBLAS asks the environment how many it may start, before main(). The first thing that runs is
// this file, but the C library takes its environment over from the system later. So if an OpenBLAS
// is loaded, the program starts itself anew, with one more variable. That takes milliseconds;
// with any other BLAS nothing happens: none starts threads before they have work.

#include <alloca.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstddef>
#include <cstring>

/// One of OpenBLAS's functions; null if another BLAS is loaded.
extern "C" int openblas_get_num_threads() __attribute__((weak));

namespace poet::cli {
namespace {

constexpr char kOneThread[] = "OPENBLAS_NUM_THREADS=1";
constexpr std::size_t kNameLength = sizeof kOneThread - 2;  // with the equals sign

/// Nothing is initialised yet: no memory may be allocated, and no sanitizer is ready. If the system
/// refuses, the program goes on as it is, and its solves are watched.
__attribute__((no_sanitize("address", "undefined"))) void give_blas_one_thread(int /*count*/,
                                                                               char** arguments,
                                                                               char** environment) {
  if (openblas_get_num_threads == nullptr) return;
  std::size_t size = 0;
  while (environment[size] != nullptr) {
    if (std::strcmp(environment[size++], kOneThread) == 0) return;
  }
  // If the program was started as an argument of the dynamic linker, which then has no base,
  // /proc/self/exe is the linker.
  if (::getauxval(AT_BASE) == 0) return;
  std::array<char, PATH_MAX> path;
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) return;
  path[length] = '\0';
  char** const changed = static_cast<char**>(alloca((size + 2) * sizeof(char*)));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (std::strncmp(environment[i], kOneThread, kNameLength) != 0) {
      changed[kept++] = environment[i];
    }
  }
  changed[kept] = const_cast<char*>(kOneThread);
  changed[kept + 1] = nullptr;
  ::execve(path.data(), arguments, changed);
}

/// Functions in this section run before the initialisers of the libraries.
__attribute__((section(".preinit_array"),
               used)) void (*const kBeforeLibraries)(int, char**, char**) = give_blas_one_thread;

}  // namespace
}  // namespace poet::cli
