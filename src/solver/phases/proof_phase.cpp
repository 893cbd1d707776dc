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
    if (state_.incumbent.schedule()) {
      prove_gap();
      return ModelVerdict::open;
    }
    return prove_infeasible();
  }

 private:
  void prove_gap() {
    const Incumbent& incumbent = state_.incumbent;
    const Joules extra = incumbent.extra_energy();
    const Joules claim = provable_claim(state_);
    if (state_.gap_joules() < kUnprovable * extra) return;
    if (claim > state_.unproven_claim - kMuchLower * extra) return;
    const ProofCosts costs = costs_for_claim(state_.problem.graph, claim);
    // As it comes: the search goes on long after its last gain, and may be ended from outside.
    const auto take = [&](std::int64_t units) {
      if (units <= 0) return;
      state_.incumbent.raise_bound(claim_of_bound(state_.problem.graph, costs, units), kPhase);
    };
    const ProofAttempt attempt = search(costs, time_.share, take);
    if (attempt.status == ProofAttempt::Status::proven) {
      state_.incumbent.raise_bound(claim, kPhase);
    } else {
      state_.unproven_claim = claim;
      take(attempt.units);
    }
    state_.report_progress(kPhase);
  }

  ModelVerdict prove_infeasible() {
    const ProofAttempt attempt =
        search(costs_for_infeasible(state_.problem.graph), std::min(kBlindProofShare, time_.share),
               [](std::int64_t) {});
    if (attempt.status != ProofAttempt::Status::proven) return ModelVerdict::open;
    state_.searches_without_result = 1;
    return ModelVerdict::infeasible;
  }

  ProofAttempt search(const ProofCosts& costs, double share,
                      const std::function<void(std::int64_t)>& take) {
    const Seconds start = state_.clock.elapsed();
    Proof proof = prove(state_.problem, costs,
                        {.seconds = std::min(state_.share_of_time(share),
                                             std::max(kLeastProofPhase, time_.of_elapsed * start)),
                         .memory_bytes = state_.options.settings.memory_limit_bytes,
                         .least_moments = kLeastProofMoments,
                         .stage_peaks = state_.incumbent.stage_peaks(),
                         .progress = [&](int, std::int64_t units) {
                           take(units);
                           state_.report_progress(kPhase);
                           return !state_.stopping();
                         }});
    state_.statistics.milp_seconds += state_.clock.elapsed() - start;
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
