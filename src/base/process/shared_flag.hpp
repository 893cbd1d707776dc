#pragma once

#include <sys/mman.h>

#include <atomic>
#include <new>

namespace poet {

/// A flag that a process and the children that it forks see alike.
class SharedFlag {
 public:
  SharedFlag() {
    void* const page = ::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::bad_alloc();
    flag_ = new (page) std::atomic<bool>(false);
  }
  SharedFlag(const SharedFlag&) = delete;
  SharedFlag& operator=(const SharedFlag&) = delete;
  ~SharedFlag() { ::munmap(flag_, sizeof *flag_); }

  void raise() { *flag_ = true; }
  bool raised() const { return *flag_; }

 private:
  // A lock inside the flag would be its process's alone.
  static_assert(std::atomic<bool>::is_always_lock_free);

  std::atomic<bool>* flag_;
};

}  // namespace poet
