#pragma once

#include <cstddef>
#include <cstdint>

#include "poet/units.hpp"

namespace poet {

// Every share of time, size and number of rounds that the driver (solve.cpp) and its phases read.
// They are in one table because they compete: what one phase takes, another lacks. Shares are of
// the time that is left, if nothing else is said. How a phase works inside is tuned in its own
// file.

// The local search.

/// From so many nodes on a descent takes a second, and a million moves take several: a bound comes
/// before the search, descents are noted one by one, and every search has parts.
inline constexpr int kSlowDescentNodes = 1000;
/// Of the first search, and of those that refining adds.
inline constexpr double kSearchShare = 0.3;
/// Of a search that has no schedule yet: a bound alone is of no use to anybody.
inline constexpr double kScheduleShare = 0.6;
/// With so many nodes a model fits no memory limit, so this search has all the time that there is.
inline constexpr int kNoModelNodes = 10'000;
/// A longer search before a model whose relaxation alone takes minutes: its moves and its share.
inline constexpr std::int64_t kLargeModelMoves = 40'000'000;
inline constexpr double kLargeModelShare = 0.5;
/// A replay may take so long when time is up: one of 20,000 nodes takes a second.
inline constexpr Seconds kReplayRest = 0.1;

// The glance at moment models.

/// Without a schedule a glance looks below so much extra energy, as a multiple of the baseline's.
inline constexpr double kGuessOfExtra = 16;
/// The work of a glance, in moves: some ten seconds. Few need a tenth of it.
inline constexpr std::int64_t kGlanceWork = 25'000'000;
/// How far a glance goes: the most moments of linear relaxations, which begin with one and double;
/// by what share more of them must raise the bound, one time of two; and what CBC may do.
struct GlanceLimits {
  int moments = 0;
  double gain = 0;
  std::size_t search_moments = 0;
  int search_nodes = 0;  // of branch and bound
};
inline constexpr GlanceLimits kGlance{
    .moments = 4, .gain = 0.02, .search_moments = 4, .search_nodes = 20};
/// Without a backward pass there is no collapsed model that would do better, so a longer look pays.
inline constexpr GlanceLimits kGlanceWithoutBackward{
    .moments = 32, .gain = 0.005, .search_moments = 16, .search_nodes = 100};
inline constexpr GlanceLimits kFastGlanceWithoutBackward{
    .moments = 16, .gain = 0.02, .search_moments = 4, .search_nodes = 20};
/// The gain for all the time that there is, without a backward pass.
inline constexpr double kGainOfMoments = 0.001;
/// The most nonzeros of a linear relaxation at a glance, its first apart, and of any: half a second
/// and some minutes, on any machine.
inline constexpr std::size_t kGlanceNonzeros = 150'000;
inline constexpr std::size_t kMomentNonzeros = 2'000'000;
/// Larger models are too much for CBC.
inline constexpr std::size_t kGlanceSearchNonzeros = 25'000;
/// By how much the bound of the moments that CBC starts with may be below the best one.
inline constexpr double kNearlyBest = 0.1;
/// Shares that a glance may take, and without a backward pass a round of more moments, of which
/// there is hardly more than one; and the time that CBC needs to achieve anything.
inline constexpr double kGlanceShare = 0.1;
inline constexpr double kGlanceShareWithoutBackward = 0.3;
inline constexpr double kRoundShareWithoutBackward = 0.9;
inline constexpr Seconds kLeastGlanceTime = 0.5;
/// CBC's search of a moment model ends if its bound has not moved for this share of its time: the
/// next moments do more.
inline constexpr double kGlanceRestShare = 0.2;

// Proofs in moment models.

/// How long a proof in moment models may take: a share of the time that is left, and a multiple of
/// the time so far, so that a solve that needs no such proof is not held up for long.
struct ProofTime {
  double share = 0;
  double of_elapsed = 0;
  /// The share of what is missing that the root of a model must close to be worth a long tree.
  double least_root = 0.9;
};
/// Before the collapsed model: what such a proof closes it mostly closes soon.
inline constexpr ProofTime kProofBeforeModel{.share = 0.3, .of_elapsed = 10};
/// For the better schedule that polishing has found; the counts need their time.
inline constexpr ProofTime kProofBeforeCounts{.share = 0.4, .of_elapsed = 3};
/// Before a large model, whose relaxation alone takes minutes.
inline constexpr ProofTime kProofBeforeLargeModel{.share = 0.85, .of_elapsed = 10};
/// After all else, if the searches have ended without a verdict.
inline constexpr ProofTime kProofAtTheEnd{.share = 0.85, .of_elapsed = 10, .least_root = 0};
/// The share of the time that is left for a proof whose tree is promising.
inline constexpr double kShareOfPromise = 0.9;
/// Without a backward pass, and with so much of the extra energy open, a look at more and more
/// moments comes before kProofBeforeLargeModel: no such proof is found, and they raise the bound.
inline constexpr double kFarFromProof = 0.1;
/// A proof may take so many seconds at least.
inline constexpr Seconds kLeastProofPhase = 5;
/// Without a schedule it is not known whether there is anything to prove, and other phases may
/// find one.
inline constexpr double kBlindProofShare = 0.15;
/// Of the extra energy: by how much a claim must be below one that failed to be worth another
/// search; or how many times as long the other search may take.
inline constexpr double kMuchLower = 1e-3;
inline constexpr double kMuchLonger = 1.5;

// The collapsed and the full model.

/// Nonzeros of a model that is worth building once the gap is met, as a share of the moves left:
/// its first linear program takes several times as long as building it.
inline constexpr double kRefiningModelShare = 0.5;
/// Shares of the root loop, polishing and branching on counts.
inline constexpr double kRootShare = 0.5;
inline constexpr double kPolishShare = 0.2;
inline constexpr double kCountShare = 0.8;
/// Share of the work left that one root loop may do, so that there is some for polishing.
inline constexpr double kRootWork = 0.9;
/// Simplex iterations of the first root loop, whose purpose is to show the polishing where to look.
/// Counted in iterations and not in seconds, so that a solve repeats exactly.
inline constexpr std::int64_t kFirstIterations = 10'000;
/// Of the extra energy: what must be open for tail cuts, whose tables take seconds.
inline constexpr double kOpenForTails = 0.02;
inline constexpr int kPolishNodes = 200;
inline constexpr double kPolishStep = 1e-3;  // of the distance to the bound: less is no improvement
/// The steps of Effort::fast end by counts of iterations and nodes, so that a busy machine finds
/// the same schedule; this is for models on which those counts take very long.
inline constexpr Seconds kFastStep = 30;

// The objective runtime.

/// What the search for the least time may take of the time limit, so that the second solve is left
/// with the rest.
inline constexpr double kLeastTimeShare = 0.5;

}  // namespace poet
