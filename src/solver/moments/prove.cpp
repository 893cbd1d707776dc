// Which moments to try, and how long. Few moments make small linear programs, and most problems
// have a few stages that bind. They are found as rows are: the optimum of a model, rounded, becomes
// a schedule, and the stages in which this overruns RAM are the next moments. In ten models of one
// to thirty moments the root is better, after less time, than in one model with moments spread over
// the step, or with the ones at which a good schedule is full.
//
// Then comes the tree. Its points become schedules as well, and each that is better lowers the
// target. A whole point below the target that no schedule follows shows that the model has too few
// moments, and which.
//
// A model with a moment in every stage comes last and for small graphs only: only consecutive
// moments have rows on single stages. The one with RAM that is held for writing alone has a column
// for each tensor and moment more.
//
// Each search is a child process, as Clp can crash, overrun its time or take all memory. What it
// proved before it was given up is an answer too.

#include "solver/moments/prove.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/fields.hpp"
#include "poet/simulate.hpp"
#include "problem/fields.hpp"
#include "solver/moments/moment_rows.hpp"
#include "solver/moments/moments.hpp"
#include "solver/search/local_search.hpp"
#include "solver/work.hpp"

namespace poet {

template <>
inline constexpr auto kFields<ProofNews> = kMembers<&ProofNews::units, &ProofNews::schedule>;

template <>
inline constexpr auto kFields<ProofText> =
    kMembers<&ProofText::rows, &ProofText::tree, &ProofText::leaves>;

template <>
inline constexpr auto kLast<ProofAttempt::Status> = ProofAttempt::Status::nothing;

template <>
inline constexpr auto kFields<ProofAttempt> =
    kMembers<&ProofAttempt::status, &ProofAttempt::proof, &ProofAttempt::target,
             &ProofAttempt::units, &ProofAttempt::is_promising, &ProofAttempt::point,
             &ProofAttempt::work>;

namespace {

/// Moments are added until two models in turn have not closed this share of what is missing, times
/// how many times as long the root takes: a tree would have so many nodes less. Any root up to this
/// share of the time is quick.
constexpr double kGainOfMoments = 0.02;
constexpr double kQuickRoot = 0.01;
constexpr int kModelsWithoutGain = 2;
/// Each may take a share of the time, a larger one if the graph is too large for all moments; and a
/// look at the root of all moments another.
constexpr double kShareOfRoot = 0.15;
constexpr double kShareOfLargeRoot = 0.3;
constexpr double kShareOfLook = 0.1;
/// The shares of the tree, and of one whose root is far from the target.
constexpr double kShareOfTree = 0.5;
constexpr double kShareOfTry = 0.15;
/// Columns of a model with a moment in every stage, at most two for each stage and tensor.
constexpr std::int64_t kMostPresences = 400'000;
/// Graphs that are small enough to look at what is being written.
constexpr int kMostNodesForWrites = 200;
/// How long a child may overrun its time before it is killed.
constexpr Seconds kMostOverrun = 2;

std::vector<int> first_moments(const Problem& problem, const ProveOptions& options) {
  if (!options.moments.empty()) return options.moments;
  std::vector<int> moments = peak_moments(problem, 1);
  return moments.empty() ? std::vector{problem.graph.size() - 1} : moments;
}

/// The models with a moment in every stage, or in every one of the backward pass.
std::vector<ProofMoments> whole_models(const Problem& problem) {
  const Graph& graph = problem.graph;
  const int size = graph.size();
  const int first =
      std::min(graph.has_backward() ? std::max(1, graph.first_backward) : 1, size - 1);
  std::vector<ProofMoments> models;
  if (std::int64_t{size} * (size - first) < kMostPresences) {
    models.push_back({.stages = spread_moments(graph, first, size)});
    models.push_back({.stages = spread_moments(graph, 0, size)});
  }
  if (problem.limits.techniques.paging && size <= kMostNodesForWrites) {
    models.push_back({.stages = spread_moments(graph, 0, size), .writes = true});
  }
  return models;
}

class Prover {
 public:
  Prover(const Problem& problem, ProofCosts costs, const ProveOptions& options)
      : problem_(problem),
        costs_(std::move(costs)),
        options_(options),
        clock_(options.seconds),
        most_(std::max(options.seconds, options.most_seconds)),
        whole_(whole_models(problem)) {}

  Proof run() {
    // Nothing is below the baseline.
    if (costs_.target <= 0) {
      return {.attempt = {.status = ProofAttempt::Status::proven,
                          .proof = {.rows = {}, .tree = "L 0\n", .leaves = 1}},
              .moments = {.stages = {0}},
              .trouble = {}};
    }
    prove_in_few();
    if (whole_.empty() && unended_ && !is_over()) {
      search(*unended_, costs_, {.seconds = clock_.remaining(), .root_only = true});
    }
    for (const ProofMoments& model : whole_) {
      if (is_over()) break;
      // It can take all of the time to see that a root is far from the target.
      if (options_.least_root > 0 && !is_worth_a_tree(search_root(model, kShareOfLook))) continue;
      search(model, costs_, {.seconds = clock_.remaining()});
    }
    proof_.expired = clock_.expired();
    return std::move(proof_);
  }

 private:
  bool is_over() const { return is_answered() || clock_.expired(); }

  bool is_answered() const {
    return proof_.proven() || proof_.stopped || (found_ && costs_.proves_infeasible());
  }

  void prove_in_few() {
    ProofMoments model{.stages = first_moments(problem_, options_)};
    const bool is_near = grow(model);
    const double share = is_near ? kShareOfTree : kShareOfTry;
    Countdown clock = clock_;
    for (std::int64_t before = -1; !is_answered() && !clock.expired();) {
      const ProofAttempt attempt = search(
          model, costs_, {.seconds = share * clock.remaining(), .most_seconds = most_.remaining()});
      if (attempt.is_promising) clock = most_;
      const auto gain = static_cast<double>(attempt.units - before);
      const auto missing = static_cast<double>(costs_.target - before);
      const bool has_gained =
          before < 0 || costs_.proves_infeasible() || gain > kGainOfMoments * missing;
      before = attempt.units;
      const bool again = attempt.is_promising || (is_near && has_gained);
      if (!again || !add_moments(model, attempt)) break;
    }
    proof_.few_moments = std::move(model.stages);
  }

  /// Adds moments while that raises the bound of the root. Returns whether a tree may do the rest.
  bool grow(ProofMoments& model) {
    std::int64_t most = 0;
    Seconds usual = kQuickRoot * options_.seconds;
    int without_gain = 0;
    bool is_near = false;
    for (ProofMoments larger = model; !is_over();) {
      const Seconds start = clock_.elapsed();
      const ProofAttempt attempt =
          search_root(larger, whole_.empty() ? kShareOfLargeRoot : kShareOfRoot);
      const Seconds taken = std::max(clock_.elapsed() - start, usual);
      if (!proof_.proven() && !attempt.point) unended_ = larger;
      is_near = is_near || is_worth_a_tree(attempt);
      const auto missing = static_cast<double>(costs_.target - most);
      const auto gain = static_cast<double>(attempt.units - most);
      ++without_gain;
      if (gain > kGainOfMoments * taken / usual * missing) {
        without_gain = 0;
        usual = taken;
        most = attempt.units;
        model = larger;
      }
      if (without_gain == kModelsWithoutGain || !add_moments(larger, attempt)) break;
    }
    return is_near;
  }

  ProofAttempt search_root(const ProofMoments& model, double share) {
    return search(model, costs_, {.seconds = share * clock_.remaining(), .root_only = true});
  }

  /// Of an infeasible problem nothing says how far it is.
  bool is_worth_a_tree(const ProofAttempt& root) const {
    const auto least = options_.least_root * static_cast<double>(costs_.target);
    return costs_.proves_infeasible() || static_cast<double>(root.units) >= least;
  }

  /// Those that refute the point at which a search ended. False if there are none.
  bool add_moments(ProofMoments& model, const ProofAttempt& attempt) const {
    if (!attempt.point) return false;
    std::vector<int> more = moments_against(problem_, model.stages, *attempt.point);
    if (more.size() == model.stages.size()) return false;
    model.stages = std::move(more);
    return true;
  }

  /// Keeps what was proven if it is more than before.
  ProofAttempt search(const ProofMoments& model, const ProofCosts& costs,
                      const ProofSearchLimits& limits) {
    const Seconds seconds = std::max(limits.seconds, limits.most_seconds);
    const int moments = static_cast<int>(model.stages.size());
    const auto show = [&](const ProofNews& now) {
      if (now.schedule) {
        options_.take_schedule(*now.schedule);
        found_ = true;
      }
      proof_.stopped = proof_.stopped || !options_.progress(moments, now.units);
      return !proof_.stopped;
    };
    const auto search = [&](const ProofReport& report) {
      const MomentModel columns(problem_, costs, model.stages, model.writes);
      const Countdown clock(seconds);
      PointTaker take_point;
      if (options_.claim_for) {
        take_point = [&, before = costs](const Schedule& point) mutable {
          const auto left = target_left(point, before, report, [&] { return clock.expired(); });
          if (left && !before.proves_infeasible()) before.target = *left;
          return left;
        };
      }
      return search_proof(columns, costs, moment_rows(columns), limits, report, take_point);
    };
    ChildAnswer<ProofAttempt> answer =
        search_proof_in_child(search, seconds, options_.memory_bytes, show);
    if (!answer.failure.empty()) proof_.trouble = answer.failure;
    if (!answer.result) return {};
    ProofAttempt& attempt = *answer.result;
    const bool proven = attempt.status == ProofAttempt::Status::proven;
    if (!costs.proves_infeasible()) {
      // By a schedule that was found.
      if (attempt.target < costs.target) costs_.target = std::min(costs_.target, attempt.target);
      if (proven && attempt.target < costs_.target) attempt.status = ProofAttempt::Status::weaker;
    }
    if (proven || attempt.units > proof_.attempt.units) {
      proof_.attempt = attempt;
      proof_.moments = model;
    }
    return std::move(attempt);
  }

  /// In the child: makes a schedule of a point.
  std::optional<std::int64_t> target_left(const Schedule& point, const ProofCosts& costs,
                                          const ProofReport& report,
                                          const std::function<bool()>& stop) const {
    std::optional<Schedule> schedule = repaired(problem_, point, stop);
    if (!schedule) return std::nullopt;
    const Replay replay = simulate(problem_.graph, *schedule, problem_.limits);
    if (!replay.valid()) return std::nullopt;
    std::int64_t target = 1;  // the least that is anything to prove
    if (!costs.proves_infeasible()) {
      const Joules claim = options_.claim_for(replay.energy_joules);
      target = std::max(target, target_for_claim(problem_.graph, costs, claim));
    }
    if (target >= costs.target) return std::nullopt;
    report({.units = 0, .schedule = std::move(*schedule)});
    return target;
  }

  const Problem& problem_;
  ProofCosts costs_;
  const ProveOptions& options_;
  const Countdown clock_;
  const Countdown most_;  // of trees that have shown that they are worth more time
  const std::vector<ProofMoments> whole_;
  Proof proof_;
  std::optional<ProofMoments> unended_;  // a model whose root takes longer than its share
  bool found_ = false;                   // a schedule
};

}  // namespace

ChildAnswer<ProofAttempt> search_proof_in_child(
    const std::function<ProofAttempt(const ProofReport&)>& search, Seconds seconds,
    Bytes memory_bytes, const std::function<bool(const ProofNews&)>& progress) {
  ChildCall<ProofNews, ProofAttempt> call;
  call.work = search;
  call.on_report = progress;
  call.check = [](const ProofAttempt&) {};
  call.on_tick = [&] { return progress({}); };
  call.seconds = seconds + kMostOverrun;
  call.memory_bytes = memory_bytes;
  return call.run();
}

Proof prove(const Problem& problem, const ProofCosts& costs, const ProveOptions& options) {
  return Prover(problem, costs, options).run();
}

}  // namespace poet
