#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace poet {

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
  /// For CBC to load and presolve a model, whatever it does then: 80 to 130 ms with 220000
  /// nonzeros.
  void add_search(std::size_t nonzeros) { moves_ += 2 * static_cast<std::int64_t>(nonzeros); }

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

}  // namespace poet
