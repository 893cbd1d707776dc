#include "solver/phases/phases.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "solver/limits.hpp"
#include "solver/moments/moment_model.hpp"
#include "solver/moments/prove.hpp"
#include "solver/solve_state.hpp"

namespace poet {
namespace {

class ProofPhase {
 public:
  static constexpr const char* kPhase = "proof";

  ProofPhase(SolveState& state, const ProofTime& time) : state_(state), time_(time) {}

  ModelVerdict run() {
    if (!state_.options.settings.features.moment_proofs || state_.fast() || state_.refining ||
        state_.done()) {
      return ModelVerdict::open;
    }
    if (!state_.incumbent.schedule() && prove_infeasible() == ModelVerdict::infeasible) {
      return ModelVerdict::infeasible;
    }
    while (state_.incumbent.schedule() && prove_gap()) {
    }
    return ModelVerdict::open;
  }

 private:
  /// Returns true if points gave a schedule that is much better, so that there is a claim to prove
  /// that the time was short for.
  bool prove_gap() {
    const Incumbent& incumbent = state_.incumbent;
    const Joules extra = incumbent.extra_energy();
    const Joules claim = provable_claim(state_, incumbent.energy());
    const Seconds seconds = allowed(time_.share);
    if (state_.done() || state_.gap_joules() < kUnprovable * extra) return false;
    if (claim > state_.unproven_claim - kMuchLower * extra &&
        seconds < kMuchLonger * state_.unproven_seconds) {
      return false;
    }
    const ProofCosts costs = costs_for_claim(state_.problem.graph, claim);
    // As it comes: the search goes on long after its last gain, and may be ended from outside.
    const auto take = [&](std::int64_t units) {
      if (units <= 0) return;
      state_.incumbent.raise_bound(claim_of_bound(state_.problem.graph, costs, units), kPhase);
    };
    const ProofAttempt attempt = search(costs, seconds, take);
    take(attempt.units);
    state_.report_progress(kPhase);
    if (attempt.status == ProofAttempt::Status::proven) return false;
    state_.unproven_claim = claim;
    state_.unproven_seconds = seconds;
    return incumbent.extra_energy() < (1 - kMuchLower) * extra;
  }

  ModelVerdict prove_infeasible() {
    const ProofAttempt attempt =
        search(costs_for_infeasible(state_.problem.graph),
               allowed(std::min(kBlindProofShare, time_.share)), [](std::int64_t) {});
    if (attempt.status != ProofAttempt::Status::proven) return ModelVerdict::open;
    state_.searches_without_result = 1;
    return ModelVerdict::infeasible;
  }

  Seconds allowed(double share) const {
    return std::min(state_.share_of_time(share),
                    std::max(kLeastProofPhase, time_.of_elapsed * state_.clock.elapsed()));
  }

  ProofAttempt search(const ProofCosts& costs, Seconds seconds,
                      const std::function<void(std::int64_t)>& take) {
    const Seconds start = state_.clock.elapsed();
    Proof proof = prove(state_.problem, costs,
                        {.seconds = seconds,
                         .most_seconds = state_.share_of_time(kShareOfPromise),
                         .memory_bytes = state_.options.settings.memory_limit_bytes,
                         .least_root = time_.least_root,
                         .moments = state_.proof_moments,
                         .claim_for = [&](Joules energy) { return provable_claim(state_, energy); },
                         .take_schedule = [&](const Schedule& schedule) { state_.offer(schedule); },
                         .progress =
                             [&](int, std::int64_t units) {
                               take(units);
                               state_.report_progress(kPhase);
                               return !state_.stopping();
                             }});
    state_.statistics.milp_seconds += state_.clock.elapsed() - start;
    state_.proof_moments = std::move(proof.few_moments);
    return std::move(proof.attempt);
  }

  SolveState& state_;
  const ProofTime& time_;
};

}  // namespace

ModelVerdict run_proof_phase(SolveState& state, const ProofTime& time) {
  return ProofPhase(state, time).run();
}

}  // namespace poet
