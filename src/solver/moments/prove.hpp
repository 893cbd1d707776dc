#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/process/call_messages.hpp"
#include "poet/problem.hpp"
#include "solver/moments/proof_search.hpp"

namespace poet {

/// Of a schedule's extra energy: no proof in rounded prices comes closer to it.
inline constexpr double kUnprovable = 1e-5;

/// The moments of a model that a proof is made in, and whether it has RAM that is held only to be
/// written out.
struct ProofMoments {
  std::vector<int> stages;
  bool writes = false;

  bool operator==(const ProofMoments&) const = default;
};

struct ProveOptions {
  Seconds seconds = 0;
  Bytes memory_bytes = 0;  ///< of a process; 0: no limit
  int least_moments = 1;   ///< of the first model
  /// By stage, of the best schedule known: where it fills the RAM are the moments of a model of its
  /// own. Empty without a schedule.
  std::vector<Bytes> stage_peaks;
  /// Called with what a point of a model below the target computes again and pages
  /// (schedule_of_moments.hpp); true ends the search, as that gave a schedule so much better that
  /// there is another target.
  std::function<bool(const Schedule&)> offer = [](const Schedule&) { return false; };
  /// Called now and then with the moments of the model that is searched, and the units that its
  /// root proves if there are more; false ends the search.
  std::function<bool(int moments, std::int64_t units)> progress = [](int, std::int64_t) {
    return true;
  };
};

struct Proof {
  ProofAttempt attempt;  ///< a proof of the target, or of the most that was proven
  ProofMoments moments;  ///< of its model
  bool stopped = false;  ///< by `progress`
  bool expired = false;
  std::string trouble;  ///< what a process said that failed
};

/// A search_proof() of so many seconds in a process of its own, as Clp can crash, overrun its time
/// or take all memory (0: no limit). `progress` is called now and then, with the units that the
/// root proves if there are more, which count even if the process fails; false ends it.
ChildAnswer<ProofAttempt> search_proof_in_child(
    const std::function<ProofAttempt(const ProofReport&)>& search, Seconds seconds,
    Bytes memory_bytes, const std::function<bool(std::int64_t units)>& progress);

/// Searches a proof of the target of the costs in models with 1, 4, 16, the fullest and all moments
/// in turn, each in a process of its own; then trees that prove less, if one for the target takes
/// too long. This proves problems that branching on counts and CBC leave open.
Proof prove(const Problem& problem, const ProofCosts& costs, const ProveOptions& options);

}  // namespace poet
