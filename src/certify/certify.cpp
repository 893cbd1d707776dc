#include "poet/certify.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/process/call_messages.hpp"
#include "certify/certificate_text.hpp"
#include "certify/fields.hpp"
#include "certify/moment_model.hpp"
#include "certify/proof_search.hpp"
#include "solver/formulation/moments.hpp"
#include "solver/work.hpp"

namespace poet {
namespace {

/// What a claim gives up to be provable in rounded prices: of the extra energy that the bound
/// states, and of the schedule's, which no proof in prices comes closer to.
constexpr double kOfBound = 1e-7;
constexpr double kOfEnergy = 1e-5;
/// What the sum of a baseline's doubles may be above the exact one.
constexpr double kOfSum = 1e-12;
/// A model with few moments is left when its relaxation or a small tree does not do.
constexpr double kLeastRoot = 0.9;
constexpr int kSmallTree = 4000;
/// It may take a share of the time, within limits: most proofs that it has take less than a second,
/// and where it has none all moments need the rest.
constexpr double kShareOfFewMoments = 0.2;
constexpr Seconds kLeastTime = 2;
constexpr Seconds kMostTime = 4;
/// Columns of a model with a moment in every stage, at most two for each stage and tensor.
constexpr std::int64_t kMostPresences = 400'000;
/// Graphs that are small enough to look at what is being written.
constexpr int kMostNodesForWrites = 200;

/// A model to try.
struct Level {
  std::vector<int> moments;
  bool writes = false;
  bool is_last = false;
};

class Certifier {
 public:
  Certifier(const Problem& problem, std::optional<Joules> claim, const CertifyOptions& options)
      : problem_(problem),
        claim_(claim),
        options_(options),
        costs_(claim ? costs_for_claim(problem.graph, *claim)
                     : costs_for_infeasible(problem.graph)),
        clock_(options.time_limit_seconds) {}

  Certificate run() {
    if (costs_.target <= 0) return finished({{0}}, {.tree = "L 0\n", .leaves = 1});
    const std::vector<Level> levels = all_levels();
    for (const Level& level : levels) {
      if (stopped_ || clock_.expired()) break;
      ProofAttempt attempt = search(level);
      if (attempt.status == ProofAttempt::Status::proven) {
        return finished(level, attempt.proof);
      }
      if (attempt.status != ProofAttempt::Status::weaker || attempt.units <= best_.units) continue;
      best_ = std::move(attempt);
      best_level_ = level;
    }
    return weaker();
  }

 private:
  const Graph& graph() const { return problem_.graph; }

  /// With 1, 4, 16 and all moments, each once.
  std::vector<Level> all_levels() const {
    const int size = graph().size();
    const int backward = graph().first_backward;
    const int first = std::min(backward < size ? std::max(1, backward) : 1, size - 1);
    std::vector<Level> levels;
    const auto add = [&](std::vector<int> moments, bool writes = false) {
      if (moments.empty()) return;
      if (!levels.empty() && levels.back().moments == moments && levels.back().writes == writes) {
        return;
      }
      levels.push_back({.moments = std::move(moments), .writes = writes});
    };
    add(peak_moments(problem_, 1));
    add(peak_moments(problem_, 4));
    add(spread_moments(graph(), first, 16));
    if (std::int64_t{size} * (size - first) < kMostPresences) {
      add(spread_moments(graph(), first, size));
      add(spread_moments(graph(), 0, size));
    }
    if (problem_.limits.techniques.paging && size <= kMostNodesForWrites) {
      add(spread_moments(graph(), 0, size), true);
    }
    if (levels.empty()) add({size - 1});
    levels.back().is_last = true;
    return levels;
  }

  ProofAttempt search(const Level& level) {
    const bool few = static_cast<int>(level.moments.size()) <= 16 && !level.is_last;
    const Seconds left = clock_.remaining();
    const ProofSearchLimits limits{
        .seconds =
            few ? std::min(left, std::clamp(kShareOfFewMoments * left, kLeastTime, kMostTime))
                : left,
        .nodes = few ? kSmallTree : 0,
        .least_root = few ? kLeastRoot : 0};
    const auto show = [&] {
      if (options_.progress &&
          !options_.progress({.elapsed_seconds = clock_.elapsed(),
                              .moments = static_cast<int>(level.moments.size())})) {
        stopped_ = true;
      }
      return !stopped_;
    };
    ChildCall<double, ProofAttempt> call;
    call.work = [&](const auto& /*report*/) {
      const MomentModel model(problem_, costs_, level.moments, level.writes);
      return search_proof(model, costs_, limits);
    };
    call.on_report = [&](double) { return show(); };
    call.check = [](const ProofAttempt&) {};
    call.on_tick = show;
    call.seconds = limits.seconds + kLeastTime;
    call.memory_bytes = options_.memory_limit_bytes;
    ChildAnswer<ProofAttempt> answer = call.run();
    if (!answer.failure.empty()) trouble_ = answer.failure;
    return answer.result ? std::move(*answer.result) : ProofAttempt{};
  }

  Certificate finished(const Level& level, const ProofText& proof,
                       std::optional<Joules> claim = std::nullopt) const {
    Certificate certificate{.status = Certificate::Status::proven,
                            .moments = static_cast<int>(level.moments.size()),
                            .rows = static_cast<int>(proof.rows.size()),
                            .leaves = proof.leaves};
    if (!claim) claim = claim_;
    certificate.claim_joules = claim.value_or(0);
    certificate.text = certificate_text(problem_,
                                        {.claim = claim,
                                         .order = options_.order,
                                         .shift = costs_.shift,
                                         .moments = level.moments,
                                         .writes = level.writes},
                                        proof);
    return certificate;
  }

  Certificate weaker() const {
    Certificate certificate;
    if (best_.units > 0) {
      certificate =
          finished(best_level_, best_.proof, claim_of_bound(graph(), costs_, best_.units));
      certificate.status = Certificate::Status::weaker;
    }
    if (stopped_) {
      certificate.reason = "the search was interrupted";
    } else if (clock_.expired()) {
      certificate.reason = "the time limit was reached";
    } else if (!trouble_.empty()) {
      certificate.reason = "a search " + trouble_;
    } else {
      certificate.reason = "the model that certificates rest on is too weak to prove it";
    }
    return certificate;
  }

  const Problem& problem_;
  std::optional<Joules> claim_;
  const CertifyOptions& options_;
  ProofCosts costs_;
  SolveClock clock_;
  ProofAttempt best_;
  Level best_level_;
  std::string trouble_;
  bool stopped_ = false;
};

}  // namespace

Joules certifiable_claim(const Graph& graph, Joules energy, Joules lower_bound) {
  const Joules least = baseline(graph).energy_joules;
  const Joules claim = std::min(lower_bound - kOfBound * std::max(0.0, lower_bound - least),
                                energy - kOfEnergy * std::max(0.0, energy - least));
  return claim * (1 - kOfSum);
}

Certificate certify(const Problem& problem, std::optional<Joules> claim,
                    const CertifyOptions& options) {
  return Certifier(problem, claim, options).run();
}

}  // namespace poet
