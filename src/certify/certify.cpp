#include "poet/certify.hpp"

#include <algorithm>
#include <string>

#include "certify/certificate_text.hpp"
#include "solver/proof/moment_model.hpp"
#include "solver/proof/prove.hpp"
#include "solver/work.hpp"

namespace poet {
namespace {

/// What a claim gives up of the extra energy that the bound states, to be provable in rounded
/// prices.
constexpr double kOfBound = 1e-7;
/// What the sum of a baseline's doubles may be above the exact one.
constexpr double kOfSum = 1e-12;

Certificate certificate_of(const Problem& problem, const CertifyOptions& options,
                           const ProofCosts& costs, std::optional<Joules> claim,
                           const ProofMoments& moments, const ProofText& proof) {
  return {.status = Certificate::Status::proven,
          .claim_joules = claim.value_or(0),
          .text = certificate_text(problem,
                                   {.claim = claim,
                                    .order = options.order,
                                    .shift = costs.shift,
                                    .moments = moments.stages,
                                    .writes = moments.writes},
                                   proof),
          .reason = {},
          .moments = static_cast<int>(moments.stages.size()),
          .rows = static_cast<int>(proof.rows.size()),
          .leaves = proof.leaves};
}

std::string why_not_proven(const Proof& proof) {
  if (proof.stopped) return "the search was interrupted";
  if (proof.expired) return "the time limit was reached";
  if (!proof.trouble.empty()) return "a search " + proof.trouble;
  return "the model that certificates rest on is too weak to prove it";
}

}  // namespace

Joules certifiable_claim(const Graph& graph, Joules energy, Joules lower_bound) {
  const Joules least = baseline(graph).energy_joules;
  const Joules claim = std::min(lower_bound - kOfBound * std::max(0.0, lower_bound - least),
                                energy - kUnprovable * std::max(0.0, energy - least));
  return claim * (1 - kOfSum);
}

Certificate certify(const Problem& problem, std::optional<Joules> claim,
                    const CertifyOptions& options) {
  const ProofCosts costs =
      claim ? costs_for_claim(problem.graph, *claim) : costs_for_infeasible(problem.graph);
  const SolveClock clock(options.time_limit_seconds);
  const Proof proof =
      prove(problem, costs,
            {.seconds = clock.remaining(),
             .memory_bytes = options.memory_limit_bytes,
             .progress = [&](int moments) {
               return !options.progress ||
                      options.progress({.elapsed_seconds = clock.elapsed(), .moments = moments});
             }});
  const ProofAttempt& attempt = proof.attempt;
  if (attempt.status == ProofAttempt::Status::proven) {
    return certificate_of(problem, options, costs, claim, proof.moments, attempt.proof);
  }
  Certificate certificate;
  if (attempt.units > 0) {
    certificate =
        certificate_of(problem, options, costs, claim_of_bound(problem.graph, costs, attempt.units),
                       proof.moments, attempt.proof);
    certificate.status = Certificate::Status::weaker;
  }
  certificate.reason = why_not_proven(proof);
  return certificate;
}

}  // namespace poet
