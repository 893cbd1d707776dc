#include "base/process/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace poet {

void limit_child_memory(Bytes bytes, int children) {
#ifdef POET_SANITIZE
  bytes = 0;
#endif
  if (bytes <= 0) return;
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return;
  long reserved = 0;  // pages
  long resident = 0;
  const bool known = std::fscanf(file, "%ld %ld", &reserved, &resident) == 2;
  std::fclose(file);
  if (!known) return;
  const Bytes page = ::sysconf(_SC_PAGESIZE);
  const Bytes growth = std::max(bytes - resident * page, bytes / 8) / std::max(1, children);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = std::min(static_cast<rlim_t>(reserved * page + growth), limit.rlim_cur);
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace poet
