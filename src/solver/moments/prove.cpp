// Which models to try, and how long. Few moments make small linear programs, and most proofs that
// they have take less than a second; only consecutive moments have rows on single stages. So the
// models are tried from small to large, and a small one is left early when its root is far from the
// target: its time would be missing for the large one. Between them are the models of the moments
// at which the best schedule known is full, or nearly, as what binds it binds the others. A model
// with RAM that is held for writing alone comes last and for small graphs only, since it has a
// column for each tensor and moment more.
//
// A whole point below the target shows that a model has too few moments, or that there is a better
// schedule: whoever asked may make one of it.
//
// Each search is a child process, as Clp can crash, overrun its time or take all memory. What it
// proved at the root before it was given up is an answer too.

#include "solver/moments/prove.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/fields.hpp"
#include "problem/fields.hpp"
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
    kMembers<&ProofAttempt::status, &ProofAttempt::proof, &ProofAttempt::units,
             &ProofAttempt::point, &ProofAttempt::root, &ProofAttempt::work>;

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
/// If its tree does not end, the root of a model of more moments may take a share, which can be
/// better; then trees for less in the best of them together. And the share of what is missing that
/// one must promise.
constexpr double kShareOfRoot = 0.1;
constexpr double kShareOfLess = 0.7;
constexpr double kWorthATree = 0.05;
/// From which shares of the budget on a stage counts as full, in turn.
constexpr double kFull[] = {0.97, 0.95, 0.9, 0.8, 0.7};
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
                                     double share, int first) {
  if (std::ssize(peaks) != problem.graph.size()) return {};
  const int count = std::clamp(kFullMomentsTimesNodes / problem.graph.size(), kLeastFullMoments,
                               kMostFullMoments);
  return full_moments(problem.limits, peaks, share, first, count);
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
  for (const double share : kFull) {
    add(moments_of_schedule(problem, options.stage_peaks, share, first), Effort::full_moments);
  }
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
    bool slow = false;  // whether full moments took all of their time, and not for a poor root
    for (const auto& [model, effort] : models_to_try(problem_, options_)) {
      const bool full = effort == Effort::full_moments;
      if (!full && std::exchange(slow, false)) prove_less();
      if (proof_.stopped || clock_.expired()) break;
      ProofAttempt attempt = search(model, costs_, limits(effort, slow));
      if (attempt.point && options_.offer(*attempt.point)) break;
      const bool proven = attempt.status == ProofAttempt::Status::proven;
      slow = slow || (full && !proven && !attempt.point &&
                      (attempt.root >= kLeastRoot || attempt.root == 0));
      if (!proven && attempt.units <= proof_.attempt.units) continue;
      proof_.attempt = std::move(attempt);
      proof_.moments = model;
      if (proven) break;
    }
    proof_.expired = clock_.expired();
    return std::move(proof_);
  }

 private:
  /// `slow`: after a tree in full moments that did not end, the roots of more of them are looked
  /// at.
  ProofSearchLimits limits(Effort effort, bool slow) {
    const Seconds left = clock_.remaining();
    const Seconds few = std::clamp(kShareOfFewMoments * left, kLeastProofTime, kMostProofTime);
    switch (effort) {
      case Effort::few_moments:
        return {.seconds = std::min(left, few), .nodes = kSmallTree, .least_root = kLeastRoot};
      case Effort::full_moments:
        if (slow) return {.seconds = kShareOfRoot * left, .nodes = 1};
        return {.seconds = kShareOfFullMoments * left, .least_root = kLeastRoot};
      case Effort::all:
        break;
    }
    return {.seconds = left};
  }

  /// Trees for less than was asked for, in the model of the best leaf, prove more than the leaf:
  /// halfway between what is proven and what is open, and so on.
  void prove_less() {
    std::int64_t missing = costs_.target - proof_.attempt.units;
    const auto least = static_cast<std::int64_t>(kWorthATree * static_cast<double>(missing));
    const Countdown clock(kShareOfLess * clock_.remaining());
    while (!proof_.stopped && !clock.expired() && (missing /= 2) > least) {
      const ProofCosts less =
          costs_for_less(problem_.graph, costs_, proof_.attempt.units + missing);
      ProofAttempt attempt = search(proof_.moments, less, {.seconds = clock.remaining() / 2});
      if (attempt.status != ProofAttempt::Status::proven) continue;
      attempt.status = ProofAttempt::Status::weaker;
      attempt.units = less.target;
      proof_.attempt = std::move(attempt);
    }
  }

  ProofAttempt search(const ProofMoments& model, const ProofCosts& costs,
                      const ProofSearchLimits& limits) {
    const int moments = static_cast<int>(model.stages.size());
    const auto show = [&](std::int64_t units) {
      proof_.stopped = proof_.stopped || !options_.progress(moments, units);
      return !proof_.stopped;
    };
    const auto search = [&](const ProofReport& report) {
      const MomentModel columns(problem_, costs, model.stages, model.writes);
      return search_proof(columns, costs, moment_rows(columns), limits, report);
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
