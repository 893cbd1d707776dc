#pragma once

#include "poet/units.hpp"

namespace poet {

/// Limits the address space of this process, a forked child, so that with its parent it takes
/// about so many bytes of memory: what the two share at this moment counts once. Whatever asks for
/// more gets std::bad_alloc. At least an eighth of the bytes can still be taken. Does nothing for 0
/// bytes, in a build with sanitizers (which reserve terabytes), and where the system does not say
/// what the process has.
void limit_child_memory(Bytes bytes);

}  // namespace poet
