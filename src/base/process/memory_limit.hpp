#pragma once

#include "poet/units.hpp"

namespace poet {

/// Limits the address space of this process, one of so many children that are forked to work at the
/// same time, so that together with their parent they take about so many bytes of memory: what all
/// share at this moment counts once, and each may take an equal part of the rest. Whatever asks for
/// more gets std::bad_alloc. All children together can still take an eighth of the bytes, unless
/// the parent is limited to less: no child has a higher limit than its parent. Does nothing for 0
/// bytes, in a build with sanitizers (which reserve terabytes), and where the system does not say
/// what the process has.
void limit_child_memory(Bytes bytes, int children = 1);

}  // namespace poet
