// Time enters a placement only by which buffers live together. n buffers have at most n sections,
// however many instructions a program has, and two buffers share a section exactly if they share a
// moment. So everything that searches asks sections; the checker (check.cpp) asks times, so that a
// mistake here shows. Sorting the 2 n events is all the work.

#include "arena/sections.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "problem/alignment.hpp"

namespace poet {
namespace {

void check_buffers(std::span<const Buffer> buffers, Bytes alignment) {
  if (alignment < 1 || alignment > kMaxBytes) {
    throw InputError(fmt::format("the alignment is {}; expected at least 1", alignment));
  }
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const Buffer& buffer = buffers[b];
    if (buffer.upper <= buffer.lower) {
      throw InputError(fmt::format("buffer {} lives from {} to {}; expected an end after its start",
                                   b, buffer.lower, buffer.upper));
    }
    if (buffer.bytes < 0 || buffer.bytes > kMaxBytes) {
      throw InputError(fmt::format("buffer {} has {} bytes; expected 0 to 2^53", b, buffer.bytes));
    }
  }
}

/// By time, ends before starts: what ends when another starts is out of its way.
struct Event {
  std::int64_t time = 0;
  bool starts = false;
  std::size_t buffer = 0;

  bool operator<(const Event& other) const {
    return std::pair(time, starts) < std::pair(other.time, other.starts);
  }
};

std::vector<Event> events_of(std::span<const Buffer> buffers) {
  std::vector<Event> events;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    events.push_back({.time = buffers[b].lower, .starts = true, .buffer = b});
    events.push_back({.time = buffers[b].upper, .starts = false, .buffer = b});
  }
  std::sort(events.begin(), events.end());
  return events;
}

}  // namespace

Sections make_sections(std::span<const Buffer> buffers, Bytes alignment) {
  check_buffers(buffers, alignment);
  Sections sections{.ranges = std::vector<SectionRange>(buffers.size()), .bytes = {}};
  bool complete = true;  // whether a buffer of the current section has ended
  Bytes live = 0;
  for (const Event& event : events_of(buffers)) {
    const Bytes bytes = aligned(buffers[event.buffer].bytes, alignment);
    SectionRange& range = sections.ranges[event.buffer];
    if (!event.starts) {
      live -= bytes;
      complete = true;
      range.end = static_cast<int>(sections.bytes.size());
      continue;
    }
    if (complete) sections.bytes.push_back(live);
    complete = false;
    live += bytes;
    if (live > kMaxBytes) throw InputError("the buffers in use at once have more than 2^53 bytes");
    sections.bytes.back() = live;
    range.first = static_cast<int>(sections.bytes.size()) - 1;
  }
  return sections;
}

Bytes peak_bytes(std::span<const Buffer> buffers, Bytes alignment) {
  Bytes peak = 0;
  for (const Bytes bytes : make_sections(buffers, alignment).bytes) peak = std::max(peak, bytes);
  return peak;
}

Bytes arena_bytes(std::span<const Buffer> buffers, const Placement& placement, Bytes alignment) {
  Bytes top = 0;
  const auto include = [&](std::size_t buffer, Bytes offset) {
    top = std::max(top, offset + aligned(buffers[buffer].bytes, alignment));
  };
  for (std::size_t b = 0; b < buffers.size(); ++b) include(b, placement.offsets[b]);
  for (const Move& move : placement.moves) {
    include(static_cast<std::size_t>(move.buffer), move.offset);
  }
  return top;
}

}  // namespace poet
