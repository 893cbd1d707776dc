#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "execute/guarded_block.hpp"
#include "poet/units.hpp"
#include "schedule/bank_traffic.hpp"

namespace poet {

/// The arenas of a device, each between guards of its own: one for each bank, or one for all
/// offsets. An offset is in one of them, and what begins there has to end there.
class GuardedArena {
 public:
  /// Blocks for these ranges of offsets, which ascend. With `poison`, memory that is not in use
  /// holds signalling NaNs. Throws InputError if memory runs out.
  GuardedArena(std::span<const BankRange> ranges, bool poison);

  /// Whether one of the blocks has all of these bytes.
  bool holds(Bytes offset, Bytes bytes) const;
  /// The address of an offset that is in a block, or at its end.
  std::byte* at(Bytes offset);
  /// A range comes into use, or goes out of it.
  void open(Bytes offset, Bytes bytes);
  void close(Bytes offset, Bytes bytes);
  /// Copies a range that is in use to another place of the same block, which it may overlap, or of
  /// another block.
  void move(Bytes from, Bytes to, Bytes bytes);

  /// Whether nothing was written in front of any block.
  bool intact() const;
  Bytes bytes() const;  ///< of all blocks

 private:
  std::size_t block_of(Bytes offset) const;

  std::vector<BankRange> ranges_;
  std::vector<std::unique_ptr<GuardedBlock>> blocks_;
};

}  // namespace poet
