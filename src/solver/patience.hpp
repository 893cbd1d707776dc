#pragma once

#include <cstddef>
#include <span>

namespace poet {

/// When a loop of rows rests: a loop that solves a linear program, adds rows that its optimum
/// violates, and solves again. It has done enough once so many rounds together closed less than a
/// share of what is missing, from the bound to the incumbent or to the claim that is to be proven.
/// One round says little, as some models rest for a few and then go on. Counted work says less: the
/// rounds without gain are the cheap ones, and a share of the work keeps a stuck loop going.
struct Patience {
  int rounds = 0;
  double share = 0;

  /// `bounds`: after each round. `missing`: from the last of them to where they shall get.
  bool is_over(std::span<const double> bounds, double missing) const {
    if (bounds.size() <= static_cast<std::size_t>(rounds)) return false;
    const double gained = bounds.back() - bounds[bounds.size() - 1 - rounds];
    return gained < share * missing;
  }
};

// Every loop of rows and its patience. Whoever changes a number of a proof changes certificates.

/// The root of the collapsed and the full model: its bound, its cuts and its fixings are what all
/// nodes below begin with, so it pays to go on for little.
inline constexpr Patience kAtRootOfModel{.rounds = 12, .share = 0.002};
/// The same, after a loop that has rested with the cuts to start with.
inline constexpr Patience kAtRootAgain{.rounds = 6, .share = 0.01};
/// A node of the branching on counts, of which hundreds are solved: more branching gains more.
inline constexpr Patience kInTreeOfModel{.rounds = 3, .share = 0.03};
/// The same for proofs in moment models, whose rounds cost a tenth of the collapsed model's.
inline constexpr Patience kAtRootOfProof{.rounds = 6, .share = 0.02};
inline constexpr Patience kInTreeOfProof{.rounds = 3, .share = 0.04};

}  // namespace poet
