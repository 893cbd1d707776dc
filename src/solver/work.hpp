#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/stopwatch.hpp"
#include "poet/units.hpp"

namespace poet {

/// Counts down wall-clock seconds from its construction. Zero or less has expired at once; infinity
/// never does.
class Countdown {
 public:
  explicit Countdown(Seconds seconds) : seconds_(seconds) {}

  Seconds elapsed() const { return watch_.elapsed(); }
  Seconds remaining() const { return seconds_ - elapsed(); }
  bool expired() const { return remaining() <= 0; }

 private:
  Stopwatch watch_;
  Seconds seconds_;
};

/// One wall clock over a whole solve.
class SolveClock : public Countdown {
 public:
  /// `limit` in seconds; 0 means none.
  explicit SolveClock(Seconds limit)
      : Countdown(limit > 0 ? limit : std::numeric_limits<double>::infinity()) {}
};

/// Of counts of work.
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// What was done, by counts that repeat on every machine; seconds would not. The unit is a move of
/// the local search: a third to half a microsecond.
class Work {
 public:
  void add_moves(std::int64_t moves) { moves_ += moves; }
  /// Of the simplex: 16 us each with 1600 columns, 35 to 55 us with 5000 to 37000.
  void add_iterations(std::int64_t iterations, std::size_t columns) {
    moves_ += iterations * moves_per_iteration(columns);
  }
  /// A look at every row of a model for those that a point violates, and for cuts: 12 to 60 ms with
  /// 220000 nonzeros.
  void add_round(std::size_t nonzeros) { moves_ += static_cast<std::int64_t>(nonzeros); }
  /// To build a model: 40 ms with 535000 nonzeros.
  void add_model(std::size_t nonzeros) { moves_ += static_cast<std::int64_t>(nonzeros) / 3; }
  /// For CBC to load and presolve a model, before it searches: 80 to 130 ms with 220000 nonzeros.
  void add_search(std::size_t nonzeros) { moves_ += 2 * static_cast<std::int64_t>(nonzeros); }

  /// A process that ended without an answer counts as all that it was allowed to do.
  void add_failed(std::int64_t most_moves) {
    if (most_moves != kNoLimit) moves_ += std::max<std::int64_t>(0, most_moves);
  }

  std::int64_t moves() const { return moves_; }
  /// How many iterations are left until so many moves; one at least.
  std::int64_t iterations_until(std::int64_t most_moves, std::size_t columns) const {
    if (most_moves == kNoLimit) return kNoLimit;
    return std::max<std::int64_t>(1, (most_moves - moves_) / moves_per_iteration(columns));
  }

 private:
  static std::int64_t moves_per_iteration(std::size_t columns) {
    constexpr std::int64_t kFew = 10;
    constexpr std::int64_t kMany = 100;
    return std::min(kMany, kFew + static_cast<std::int64_t>(columns) / 100);
  }

  std::int64_t moves_ = 0;
};

/// Divides a limit of work among tasks in a line, each of which is chosen before it is known what
/// those ahead of it take. No more is promised than is left, so that together they keep the limit.
class WorkShares {
 public:
  /// So many moves in all, for a line of so many tasks. A task that may do less than `least` would
  /// come to nothing.
  WorkShares(std::int64_t most, std::size_t line, std::int64_t least)
      : most_(most),
        line_(std::max<std::int64_t>(1, static_cast<std::int64_t>(line))),
        least_(std::max<std::int64_t>(1, least)) {}

  /// What the next task may do: an equal part of what is not promised yet, but no less than
  /// `least`. Nothing until another task has left more.
  std::optional<std::int64_t> next() {
    if (most_ == kNoLimit) return kNoLimit;
    const std::int64_t open = left() - promised_;
    if (open < least_) return std::nullopt;
    const std::int64_t share = std::max(least_, open / line_);
    promised_ += share;
    return share;
  }
  /// The task with this share, 0 without one, has ended and did so much.
  void end(std::int64_t share, std::int64_t done) {
    if (share != kNoLimit) promised_ -= share;
    done_ += done;
  }

  std::int64_t done() const { return done_; }
  std::int64_t left() const { return most_ == kNoLimit ? kNoLimit : most_ - done_; }

 private:
  std::int64_t most_;
  std::int64_t line_;
  std::int64_t least_;
  std::int64_t promised_ = 0;
  std::int64_t done_ = 0;
};

}  // namespace poet
