// In just enough memory, all of the arena is in use around many moments, and what starts then has
// to fill exactly the bytes that what ends leaves. A search would try such buffers one by one, in
// every order, and learn again each time that only their common place works. One buffer in the
// place of several takes that away, and loses nothing: what fits is the same before and after.
//
// Each pass sorts all lifetimes and joins what it finds. A joined buffer may have to take the place
// of another one in turn, so passes go on until none joins anything: at most one for each buffer.

#include "arena/join.hpp"

#include <algorithm>
#include <utility>

#include "arena/sections.hpp"
#include "problem/alignment.hpp"

namespace poet {
namespace {

/// The buffers that end before a section, and those that start with it.
struct Change {
  std::vector<int> ending;
  std::vector<int> starting;
};

class Joiner {
 public:
  Joiner(std::span<const Buffer> buffers, const Arena& arena) : arena_(arena) {
    for (const Buffer& buffer : buffers) {
      result_.parts.push_back({.buffer = static_cast<int>(result_.buffers.size())});
      result_.buffers.push_back(buffer);
      result_.buffers.back().bytes = aligned(buffer.bytes, arena.alignment);
    }
  }

  JoinedBuffers run() {
    while (join_some()) renumber();
    return std::move(result_);
  }

 private:
  /// One pass over time. What is joined in it is joined with more in the next one only.
  bool join_some() {
    const Sections sections = make_sections(result_.buffers, arena_.alignment);
    const std::vector<Change> changes = changes_of(sections);
    const std::size_t count = result_.buffers.size();
    touched_.assign(count, false);
    into_.assign(count, {});
    for (std::size_t b = 0; b < count; ++b) into_[b].buffer = static_cast<int>(b);
    bool any = false;
    for (std::size_t s = 1; s < sections.bytes.size(); ++s) {
      if (std::min(sections.bytes[s - 1], sections.bytes[s]) < arena_.capacity_bytes) continue;
      const auto& [ending, starting] = changes[s];
      if (std::min(ending.size(), starting.size()) != 1) continue;
      if (!live_together(ending, sections) || !live_together(starting, sections)) continue;
      join(changes[s]);
      any = true;
    }
    return any;
  }

  std::vector<Change> changes_of(const Sections& sections) const {
    std::vector<Change> changes(sections.bytes.size() + 1);
    for (int b = 0; b < static_cast<int>(result_.buffers.size()); ++b) {
      if (result_.buffers[b].bytes == 0) continue;
      changes[sections.ranges[b].end].ending.push_back(b);
      changes[sections.ranges[b].first].starting.push_back(b);
    }
    return changes;
  }

  /// From the same section to the same section.
  bool live_together(const std::vector<int>& group, const Sections& sections) const {
    const SectionRange& first = sections.ranges[group.front()];
    return std::all_of(group.begin(), group.end(), [&](int b) {
      const SectionRange& range = sections.ranges[b];
      return !touched_[b] && range.first == first.first && range.end == first.end;
    });
  }

  /// The first buffer that ends becomes all of them.
  void join(const Change& change) {
    Buffer& whole = result_.buffers[change.ending.front()];
    Bytes top = 0;
    for (const std::vector<int>* group : {&change.ending, &change.starting}) {
      top = 0;
      for (const int b : *group) {
        const Buffer part = result_.buffers[b];
        into_[b] = {.buffer = change.ending.front(), .shift = top};
        touched_[b] = true;
        top += part.bytes;
        whole.lower = std::min(whole.lower, part.lower);
        whole.upper = std::max(whole.upper, part.upper);
      }
    }
    whole.bytes = top;
  }

  void renumber() {
    std::vector<Buffer> kept;
    std::vector<int> index(result_.buffers.size(), -1);
    for (std::size_t b = 0; b < index.size(); ++b) {
      if (into_[b].buffer != static_cast<int>(b)) continue;
      index[b] = static_cast<int>(kept.size());
      kept.push_back(result_.buffers[b]);
    }
    for (JoinedPart& part : result_.parts) {
      const JoinedPart& into = into_[part.buffer];
      part = {.buffer = index[into.buffer], .shift = part.shift + into.shift};
    }
    result_.buffers = std::move(kept);
  }

  const Arena& arena_;
  JoinedBuffers result_;
  std::vector<JoinedPart> into_;  ///< by buffer: what it becomes a part of in this pass
  std::vector<bool> touched_;     ///< by buffer: it is joined in this pass
};

}  // namespace

JoinedBuffers join_buffers(std::span<const Buffer> buffers, const Arena& arena) {
  return Joiner(buffers, arena).run();
}

}  // namespace poet
