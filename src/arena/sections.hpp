#pragma once

#include <span>
#include <vector>

#include "poet/arena.hpp"

namespace poet {

/// A buffer on the axis of sections: it lives in `first` up to, but not including, `end`.
struct SectionRange {
  int first = 0;
  int end = 0;
};

inline bool overlap(const SectionRange& a, const SectionRange& b) {
  return a.first < b.end && b.first < a.end;
}

/// Time without what does not matter. A section ends at the first start of a buffer after an end of
/// another, so that all buffers of a section live at once, and every set of buffers that live at
/// once is in a section. (These sets are the maximal cliques of the interval graph.)
struct Sections {
  std::vector<SectionRange> ranges;  ///< by buffer
  std::vector<Bytes> bytes;          ///< by section: of all its buffers, rounded to the alignment
};

/// Divides time into sections. Throws as peak_bytes().
Sections make_sections(std::span<const Buffer> buffers, Bytes alignment);

}  // namespace poet
