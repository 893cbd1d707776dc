// An arena of exactly the placed bytes, and what shows that nothing else was touched. Only whole
// pages can be guarded, so one end of the block has to lie within a page. It is the lower one: an
// access behind the end faults at once, in every build, and a write in front of it spoils the
// pattern, which is looked at after the step. Within the block, signalling NaNs spread from unused
// memory into every result that is computed from it, and the comparison with the unscheduled step
// finds them; sanitizers stop at the access itself.

#include "execute/guarded_block.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "poet/error.hpp"

#ifdef POET_SANITIZE
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) (static_cast<void>(0))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) (static_cast<void>(0))
#endif

namespace poet {
namespace {

constexpr std::uint32_t kSignallingNan = 0x7fa00000;
constexpr std::byte kPattern{0xa5};

}  // namespace

GuardedBlock::GuardedBlock(Bytes bytes, bool poison) : poison_(poison) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto size = static_cast<std::size_t>(bytes);
  const std::size_t between = (size + page - 1) / page * page;
  mapped_ = between + 2 * page;
  void* const map = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) {
    throw InputError(fmt::format("an arena of {} bytes: {}", bytes, std::strerror(errno)));
  }
  map_ = static_cast<std::byte*>(map);
  first_ = map_ + page;
  end_ = first_ + between;
  start_ = end_ - size;
  if (between > 0 && mprotect(first_, between, PROT_READ | PROT_WRITE) != 0) {
    const int error = errno;
    munmap(map_, mapped_);
    throw InputError(fmt::format("an arena of {} bytes: {}", bytes, std::strerror(error)));
  }
  std::fill(first_, start_, kPattern);
  close(0, bytes);
}

GuardedBlock::~GuardedBlock() {
  ASAN_UNPOISON_MEMORY_REGION(first_, static_cast<std::size_t>(end_ - first_));
  munmap(map_, mapped_);
}

void GuardedBlock::fill(Bytes offset, Bytes bytes) {
  if (!poison_) return;
  for (Bytes i = 0; i + 4 <= bytes; i += 4) std::memcpy(at(offset + i), &kSignallingNan, 4);
}

void GuardedBlock::open(Bytes offset, Bytes bytes) {
  static_cast<void>(offset);
  static_cast<void>(bytes);
  ASAN_UNPOISON_MEMORY_REGION(at(offset), static_cast<std::size_t>(bytes));
}

void GuardedBlock::close(Bytes offset, Bytes bytes) {
  fill(offset, bytes);
  ASAN_POISON_MEMORY_REGION(at(offset), static_cast<std::size_t>(bytes));
}

// Only the part of the old place that the new one does not cover goes out of use.
void GuardedBlock::move(Bytes from, Bytes to, Bytes bytes) {
  open(to, bytes);
  std::memmove(at(to), at(from), static_cast<std::size_t>(bytes));
  const Bytes left = to < from ? std::max(to + bytes, from) : from;
  const Bytes right = to < from ? from + bytes : std::min(from + bytes, to);
  if (left < right) close(left, right - left);
}

bool GuardedBlock::intact() const {
  return std::all_of(first_, start_, [](std::byte each) { return each == kPattern; });
}

}  // namespace poet
