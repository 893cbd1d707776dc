#pragma once

#include <cstddef>

#include "poet/units.hpp"

namespace poet {

/// A block of memory between two pages that may not be touched (mmap, PROT_NONE): the device's
/// arena. Its end is the start of the page above. The rest of the lowest page in front of it holds
/// a pattern, which intact() checks.
class GuardedBlock {
 public:
  /// With `poison`, memory that is not in use holds signalling NaNs. Throws InputError if there is
  /// no memory.
  GuardedBlock(Bytes bytes, bool poison);
  ~GuardedBlock();
  GuardedBlock(const GuardedBlock&) = delete;
  GuardedBlock& operator=(const GuardedBlock&) = delete;

  std::byte* at(Bytes offset) { return start_ + offset; }

  /// A range comes into use, or goes out of it. In sanitizer builds nothing may touch it from then
  /// on.
  void open(Bytes offset, Bytes bytes);
  void close(Bytes offset, Bytes bytes);
  /// Copies a range that is in use to another place, which it may overlap.
  void move(Bytes from, Bytes to, Bytes bytes);

  /// Whether nothing was written in front of the block.
  bool intact() const;

 private:
  void fill(Bytes offset, Bytes bytes);

  bool poison_;
  std::size_t mapped_ = 0;
  std::byte* map_ = nullptr;
  std::byte* first_ = nullptr;  ///< of the pages between the guards
  std::byte* start_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace poet
