// Banks of a device as blocks that are apart from each other on this machine. A kernel that writes
// beyond the end of one bank meets a guard here, while on a device it may meet another memory, or
// none. With one range it is the arena of a device whose RAM is one.

#include "execute/guarded_arena.hpp"

#include <algorithm>
#include <cstring>

namespace poet {

GuardedArena::GuardedArena(std::span<const BankRange> ranges, bool poison)
    : ranges_(ranges.begin(), ranges.end()) {
  for (const BankRange& range : ranges_) {
    blocks_.push_back(std::make_unique<GuardedBlock>(range.to - range.from, poison));
  }
}

// Tensors of no bytes may lie at the end of a block, so that the last one that begins in front of
// an offset has it.
std::size_t GuardedArena::block_of(Bytes offset) const {
  std::size_t block = 0;
  while (block + 1 < ranges_.size() && ranges_[block + 1].from <= offset) ++block;
  return block;
}

bool GuardedArena::holds(Bytes offset, Bytes bytes) const {
  const BankRange& range = ranges_[block_of(offset)];
  return bytes == 0 || (offset >= range.from && offset + bytes <= range.to);
}

std::byte* GuardedArena::at(Bytes offset) {
  const std::size_t block = block_of(offset);
  return blocks_[block]->at(offset - ranges_[block].from);
}

void GuardedArena::open(Bytes offset, Bytes bytes) {
  const std::size_t block = block_of(offset);
  blocks_[block]->open(offset - ranges_[block].from, bytes);
}

void GuardedArena::close(Bytes offset, Bytes bytes) {
  const std::size_t block = block_of(offset);
  blocks_[block]->close(offset - ranges_[block].from, bytes);
}

void GuardedArena::move(Bytes from, Bytes to, Bytes bytes) {
  const std::size_t block = block_of(from);
  if (block == block_of(to)) {
    blocks_[block]->move(from - ranges_[block].from, to - ranges_[block].from, bytes);
    return;
  }
  open(to, bytes);
  std::memcpy(at(to), at(from), static_cast<std::size_t>(bytes));
  close(from, bytes);
}

bool GuardedArena::intact() const {
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [](const auto& block) { return block->intact(); });
}

Bytes GuardedArena::bytes() const {
  Bytes sum = 0;
  for (const BankRange& range : ranges_) sum += range.to - range.from;
  return sum;
}

}  // namespace poet
