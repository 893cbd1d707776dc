// Which models to try, and how long. Few moments make small linear programs, and most proofs that
// they have take less than a second; only consecutive moments have rows on single stages. So the
// models are tried from small to large, and a small one is left early when its root is far from the
// target: its time would be missing for the large one. Between them is the model of the moments at
// which the best schedule known is full, as what binds it binds the others. A model with RAM that
// is held for writing alone comes last and for small graphs only, since it has a column for each
// tensor and moment more.
//
// Each search is a child process, as Clp can crash, overrun its time or take all memory. What it
// proved at the root before it was given up is an answer too.

#include "solver/moments/prove.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/fields.hpp"
#include "solver/moments/moment_rows.hpp"
#include "solver/moments/moments.hpp"
#include "solver/work.hpp"

namespace poet {

template <>
inline constexpr auto kFields<ProofText> =
    kMembers<&ProofText::rows, &ProofText::tree, &ProofText::leaves>;

template <>
inline constexpr auto kLast<ProofAttempt::Status> = ProofAttempt::Status::nothing;

template <>
inline constexpr auto kFields<ProofAttempt> =
    kMembers<&ProofAttempt::status, &ProofAttempt::proof, &ProofAttempt::units, &ProofAttempt::root,
             &ProofAttempt::work>;

namespace {

/// A model with few moments is left when its relaxation or a small tree does not do.
constexpr int kFewMoments = 16;
constexpr double kLeastRoot = 0.9;
constexpr int kSmallTree = 4000;
/// It may take a share of the time, within limits: most proofs that it has take less than a second,
/// and where it has none all moments need the rest.
constexpr double kShareOfFewMoments = 0.2;
constexpr Seconds kLeastProofTime = 2;
constexpr Seconds kMostProofTime = 4;
/// A model of the moments at which the best schedule is full may take a larger share.
constexpr double kShareOfFullMoments = 0.3;
/// Its moments times the nodes of the graph, with which its linear program grows; but never more
/// or fewer moments than these.
constexpr int kFullMomentsTimesNodes = 60'000;
constexpr int kMostFullMoments = 64;
constexpr int kLeastFullMoments = 16;
/// Columns of a model with a moment in every stage, at most two for each stage and tensor.
constexpr std::int64_t kMostPresences = 400'000;
/// Graphs that are small enough to look at what is being written.
constexpr int kMostNodesForWrites = 200;

/// What a model may take: little, a part, or all of the time.
enum class Effort { few_moments, full_moments, all };

struct ModelToTry {
  ProofMoments moments;
  Effort effort = Effort::all;
};

/// None without a schedule.
std::vector<int> moments_of_schedule(const Problem& problem, std::span<const Bytes> peaks,
                                     int first) {
  if (std::ssize(peaks) != problem.graph.size()) return {};
  const int count = std::clamp(kFullMomentsTimesNodes / problem.graph.size(), kLeastFullMoments,
                               kMostFullMoments);
  return full_moments(problem.limits, peaks, first, count);
}

/// The moments of the models to try, each once.
std::vector<ModelToTry> models_to_try(const Problem& problem, const ProveOptions& options) {
  const Graph& graph = problem.graph;
  const int size = graph.size();
  const int backward = graph.first_backward;
  const int first = std::min(backward < size ? std::max(1, backward) : 1, size - 1);
  std::vector<ModelToTry> models;
  const auto add = [&](std::vector<int> stages, Effort effort, bool writes = false) {
    if (stages.empty()) return;
    ProofMoments moments{.stages = std::move(stages), .writes = writes};
    if (!models.empty() && models.back().moments == moments) return;
    models.push_back({.moments = std::move(moments), .effort = effort});
  };
  if (options.least_moments <= 1) add(peak_moments(problem, 1), Effort::few_moments);
  if (options.least_moments <= 4) add(peak_moments(problem, 4), Effort::few_moments);
  add(spread_moments(graph, first, kFewMoments), Effort::few_moments);
  add(moments_of_schedule(problem, options.stage_peaks, first), Effort::full_moments);
  if (std::int64_t{size} * (size - first) < kMostPresences) {
    add(spread_moments(graph, first, size), Effort::all);
    add(spread_moments(graph, 0, size), Effort::all);
  }
  if (problem.limits.techniques.paging && size <= kMostNodesForWrites) {
    add(spread_moments(graph, 0, size), Effort::all, true);
  }
  if (models.empty()) add({size - 1}, Effort::all);
  models.back().effort = Effort::all;
  return models;
}

class Prover {
 public:
  Prover(const Problem& problem, const ProofCosts& costs, const ProveOptions& options)
      : problem_(problem), costs_(costs), options_(options), clock_(options.seconds) {}

  Proof run() {
    // Nothing is below the baseline.
    if (costs_.target <= 0) {
      return {.attempt = {.status = ProofAttempt::Status::proven,
                          .proof = {.rows = {}, .tree = "L 0\n", .leaves = 1}},
              .moments = {.stages = {0}},
              .trouble = {}};
    }
    for (const auto& [model, effort] : models_to_try(problem_, options_)) {
      if (proof_.stopped || clock_.expired()) break;
      ProofAttempt attempt = search(model, effort);
      const bool proven = attempt.status == ProofAttempt::Status::proven;
      const bool weaker = attempt.status == ProofAttempt::Status::weaker;
      if (!proven && (!weaker || attempt.units <= proof_.attempt.units)) continue;
      proof_.attempt = std::move(attempt);
      proof_.moments = model;
      if (proven) break;
    }
    proof_.expired = clock_.expired();
    return std::move(proof_);
  }

 private:
  ProofSearchLimits limits(Effort effort) {
    const Seconds left = clock_.remaining();
    const Seconds few = std::clamp(kShareOfFewMoments * left, kLeastProofTime, kMostProofTime);
    switch (effort) {
      case Effort::few_moments:
        return {.seconds = std::min(left, few), .nodes = kSmallTree, .least_root = kLeastRoot};
      case Effort::full_moments:
        return {.seconds = kShareOfFullMoments * left, .least_root = kLeastRoot};
      case Effort::all:
        break;
    }
    return {.seconds = left};
  }

  ProofAttempt search(const ProofMoments& model, Effort effort) {
    const int moments = static_cast<int>(model.stages.size());
    const ProofSearchLimits limits = this->limits(effort);
    const auto show = [&](std::int64_t units) {
      proof_.stopped = proof_.stopped || !options_.progress(moments, units);
      return !proof_.stopped;
    };
    const auto search = [&](const ProofReport& report) {
      const MomentModel columns(problem_, costs_, model.stages, model.writes);
      return search_proof(columns, costs_, moment_rows(columns), limits, report);
    };
    ChildAnswer<ProofAttempt> answer =
        search_proof_in_child(search, limits.seconds, options_.memory_bytes, show);
    if (!answer.failure.empty()) proof_.trouble = answer.failure;
    return answer.result ? std::move(*answer.result) : ProofAttempt{};
  }

  const Problem& problem_;
  const ProofCosts& costs_;
  const ProveOptions& options_;
  Countdown clock_;
  Proof proof_;
};

}  // namespace

ChildAnswer<ProofAttempt> search_proof_in_child(
    const std::function<ProofAttempt(const ProofReport&)>& search, Seconds seconds,
    Bytes memory_bytes, const std::function<bool(std::int64_t units)>& progress) {
  ChildCall<std::int64_t, ProofAttempt> call;
  call.work = search;
  call.on_report = progress;
  call.check = [](const ProofAttempt&) {};
  call.on_tick = [&] { return progress(0); };
  call.seconds = seconds + kLeastProofTime;
  call.memory_bytes = memory_bytes;
  return call.run();
}

Proof prove(const Problem& problem, const ProofCosts& costs, const ProveOptions& options) {
  return Prover(problem, costs, options).run();
}

}  // namespace poet
