#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "poet/arena.hpp"
#include "problem/alignment.hpp"

namespace poet {

/// An arena with the buffers that are in use at some time, and the moves so far. It can be copied,
/// so that a failed attempt can be undone.
class MovingMemory {
 public:
  MovingMemory(std::span<const Buffer> buffers, const Arena& arena, std::vector<Bytes> hint);

  /// Goes on to a later time: what has ended by then is out of the way.
  void pass_to(std::int64_t time);

  /// Puts buffers into gaps, after moving down what is in use and not `fixed`, as far as need be.
  /// Returns false if that does not make room.
  bool put_with_moves(std::span<const int> starting, const std::vector<bool>& fixed);

  /// Puts buffers together with the buffers of `chosen` that are in use: at the low end of the
  /// arena, or else at the high one. Returns false if there is too little room to bring them past
  /// the others.
  bool gather(std::span<const int> starting, const std::vector<bool>& chosen, bool low);

  Placement take() { return std::move(placement_); }

 private:
  bool put_all(std::span<const int> starting, bool hinted);
  std::optional<Bytes> room_for(int b, bool hinted) const;
  void insert(int b, Bytes offset);
  void move(int b, Bytes offset);
  Bytes pack();
  bool bring_down(std::size_t to, std::size_t from, Bytes packed);
  void pass_over(std::size_t to, std::size_t from, Bytes packed);
  void send_up(std::size_t at, Bytes packed);
  Bytes size_of(int b) const { return aligned(buffers_[b].bytes, arena_.alignment); }

  std::span<const Buffer> buffers_;
  Arena arena_;
  std::vector<Bytes> hint_;
  std::int64_t now_ = 0;
  std::vector<Bytes> offsets_;  ///< by buffer, where it is now
  std::vector<int> in_use_;     ///< by offset
  Placement placement_;
};

}  // namespace poet
