#pragma once

#include <span>
#include <vector>

#include "poet/arena.hpp"

namespace poet {

/// Where a buffer lies in one that stands for several.
struct JoinedPart {
  int buffer = 0;   ///< of the joined ones
  Bytes shift = 0;  ///< from its offset
};

/// Buffers of which some stand for several. They fit in the arena exactly if those that were given
/// do: each of these goes where its part of a joined buffer is.
struct JoinedBuffers {
  std::vector<Buffer> buffers;
  std::vector<JoinedPart> parts;  ///< by buffer that was given
};

/// Joins buffers that take each other's place. All of the arena is in use both before and after
/// some moment. If one buffer ends then, those that start fill its place; if they also end
/// together, all of these are one rectangle of time and memory. The same holds if one buffer
/// starts. Sizes are rounded to the alignment. Throws as peak_bytes().
JoinedBuffers join_buffers(std::span<const Buffer> buffers, const Arena& arena);

}  // namespace poet
