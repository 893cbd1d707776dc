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
};

struct ProveOptions {
  Seconds seconds = 0;
  Seconds most_seconds = 0;  ///< if more: for a tree that is promising
  Bytes memory_bytes = 0;    ///< of a process; 0: no limit
  /// The share of the target from which on a root is near enough for a tree that takes long.
  double least_root = 0;
  /// Of the model to begin with, which an earlier proof came to; empty: the highest peak.
  std::vector<int> moments;
  /// What is left to prove once there is a schedule of so many joules. If given, points of models
  /// are made into schedules, `take_schedule` receives the ones that leave less, and the rest of
  /// the search is for less. A certificate of a claim has neither.
  std::function<Joules(Joules)> claim_for;
  std::function<void(const Schedule&)> take_schedule;
  /// Called now and then with the moments of the model that is searched, and the units that it
  /// proves if there are more; false ends the search.
  std::function<bool(int moments, std::int64_t units)> progress = [](int, std::int64_t) {
    return true;
  };
};

struct Proof {
  ProofAttempt attempt;          ///< a proof of the target, or of the most that was proven
  ProofMoments moments;          ///< of its model
  std::vector<int> few_moments;  ///< of the model whose tree was searched
  bool stopped = false;          ///< by `progress`
  bool expired = false;
  std::string trouble;  ///< what a process said that failed

  bool proven() const { return attempt.status == ProofAttempt::Status::proven; }
};

/// A search_proof() of so many seconds in a process of its own, as Clp can crash, overrun its time
/// or take all memory (0: no limit). `progress` is called now and then, with what is new, which
/// counts even if the process fails; false ends it.
ChildAnswer<ProofAttempt> search_proof_in_child(
    const std::function<ProofAttempt(const ProofReport&)>& search, Seconds seconds,
    Bytes memory_bytes, const std::function<bool(const ProofNews&)>& progress);

/// Searches a proof of the target of the costs in a model with the few moments that bind, then in
/// models with all moments, each in a process of its own. This proves problems that branching on
/// counts and CBC leave open.
Proof prove(const Problem& problem, const ProofCosts& costs, const ProveOptions& options);

}  // namespace poet
