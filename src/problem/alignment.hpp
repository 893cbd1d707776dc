#pragma once

#include "poet/units.hpp"

namespace poet {

/// Returns a size rounded up to a multiple of the alignment, which is at least 1. More than
/// kMaxBytes, which checks of sizes refuse, stay as they are and so cannot overflow.
constexpr Bytes aligned(Bytes bytes, Bytes alignment) {
  return bytes > kMaxBytes ? bytes : (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace poet
