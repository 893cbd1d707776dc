// Compilers and frameworks choose copies by rule: all (GACT, ActNN, COAT), or by a MILP over coarse
// blocks (Adacc). Here a set is chosen as an order is (order_search.cpp): by what the search for
// schedules finds with it in few moves. A plan goes from set to set by numbers of nodes, and what
// it does to a copy that the next set does not have it does to the tensor.
//
// The search begins with no copies, with all, and with the set that prices of RAM suggest. It
// changes single tensors, exchanges two, and sets all of a kind of layers or of a block of
// neighbours. Annealing by a falling threshold, in rounds.

#include "solver/copies/copy_search.hpp"

#include <algorithm>
#include <utility>

#include "base/stopwatch.hpp"
#include "poet/simulate.hpp"
#include "solver/search/local_search.hpp"

namespace poet {
namespace {

// Moves of all judgements together.
constexpr double kMovesPerNode = 600'000;
constexpr double kLeastMoves = 3e6;
constexpr double kMostMoves = 90e6;
// Of one judgement: with transfers a plan settles more slowly.
constexpr std::int64_t kJudgeMoves = 8'000;
constexpr std::int64_t kJudgeMovesWithTransfers = 16'000;
constexpr std::int64_t kJudgeMovesPerNode = 300;  // at most
/// Of the first round; the second begins at the best set of the first.
constexpr double kFirstRound = 0.4;
/// The threshold at the start of a round, of the extra energy of the best plan, and of the trouble
/// of the plan at hand, as long as no plan fits.
constexpr double kHeat = 0.01;
constexpr double kTroubleHeat = 0.02;
/// Of searches for schedules for one set, for all the usual effort.
constexpr double kLongMoves = 1.5e6;
/// Of the time limit, for each set that the search begins with, and for the best set of a round.
constexpr double kLongTime = 0.12;

class CopySearch {
 public:
  CopySearch(const CopyChoices& choices, const CopySearchOptions& options)
      : choices_(choices), options_(options), random_(std::uint64_t{options.seed} << 32) {
    hand_ = problem_of_set(choices_, CopySet(choices_.size(), false));
    least_joules_ = hand_.base_joules;
    const int nodes = hand_.problem.graph.size();
    const bool pages = hand_.problem.limits.techniques.paging;
    judge_moves_ =
        std::min(kJudgeMovesPerNode * nodes, pages ? kJudgeMovesWithTransfers : kJudgeMoves);
    all_moves_ = options.effort * std::clamp(kMovesPerNode * nodes, kLeastMoves, kMostMoves);
    best_ = hand_;
    best_plan_.trouble = std::numeric_limits<double>::infinity();
  }

  FoundCopies run() {
    if (options_.start) {
      CopySet set = options_.start_set.empty() ? hand_.set : options_.start_set;
      take_schedule(problem_of_set(choices_, std::move(set)), *options_.start);
    }
    if (!options_.start_set.empty()) search_in(problem_of_set(choices_, options_.start_set));
    for (const CopySet& set : start_sets()) search_in(problem_of_set(choices_, set));
    if (choices_.size() == 0) return std::move(found_);
    // Each round ends with a whole search.
    const Seconds rest = options_.seconds * (1 - 2 * kLongTime) - watch_.elapsed();
    for (const double share : {kFirstRound, 1 - kFirstRound}) {
      search_round(share * all_moves_, share * rest);
    }
    return std::move(found_);
  }

 private:
  /// No set has a schedule of less energy than one pass without copies.
  bool stopping() const {
    const bool is_least = found_.schedule && found_.energy_joules <= least_joules_;
    return is_least || options_.stop() || watch_.elapsed() >= options_.seconds;
  }

  std::vector<CopySet> start_sets() const {
    const int size = choices_.size();
    std::vector<CopySet> sets{CopySet(size, false)};
    if (size == 0) return sets;
    sets.emplace_back(size, true);
    sets.push_back(set_by_prices(choices_));
    return sets;
  }

  /// A whole search for schedules with one set.
  void search_in(const CopyProblem& in) {
    const Seconds until = watch_.elapsed() + kLongTime * options_.seconds;
    LocalSearchOptions search{.seed = options_.seed};
    search.moves = std::min(search.moves, static_cast<std::int64_t>(options_.effort * kLongMoves));
    search.stop = [this, until] { return stopping() || watch_.elapsed() >= until; };
    search.improved = [&](const Schedule& schedule) { take_schedule(in, schedule); };
    if (in.set == best_.set) search.start = found_.schedule;
    local_search(in.problem, search);
    // Without a schedule it still says how far the set is from one.
    if (!best_plan_.fits() && !stopping()) note(in, judge(in, {}));
  }

  /// Whichever of moves and time is used up first ends the round, and cools it.
  void search_round(double moves, Seconds seconds) {
    hand_ = best_;
    NodePlan plan = best_plan_;
    const CopySet before = best_.set;
    const Seconds begun = watch_.elapsed();
    double done = 0;  // share of the round
    for (double made = 0; done < 1 && !stopping();) {
      made += static_cast<double>(judge_moves_);
      done = std::max(made / moves, (watch_.elapsed() - begun) / seconds);
      const CopyProblem next = problem_of_set(choices_, changed(hand_.set));
      NodePlan judged = judge(next, plan);
      const double cooling = std::max(0.0, 1 - done);
      if (!accepts(plan, next, judged, 2 * random_.uniform() * cooling)) continue;
      hand_ = next;
      plan = std::move(judged);
      note(hand_, plan);
    }
    if (best_.set != before) search_in(CopyProblem(best_));
  }

  CopySet changed(CopySet set) {
    const int kind_of_change = random_.below(20);
    const int size = choices_.size();
    if (kind_of_change < 10) {
      const int c = random_.below(size);
      set[c] = !set[c];
    } else if (kind_of_change < 14) {
      exchange(set);
    } else if (kind_of_change < 16) {
      const int like = random_.below(size);
      const char value = !set[like];
      for (int c = 0; c < size; ++c) {
        if (choices_.kinds[c] == choices_.kinds[like]) set[c] = value;
      }
    } else {
      const int length = 2 + random_.below(std::max(1, size / 4));
      const int first = random_.below(size);
      const char value = !set[first];
      std::fill(set.begin() + first, set.begin() + std::min(size, first + length), value);
    }
    return set;
  }

  /// A copy in the place of another one.
  void exchange(CopySet& set) {
    const int a = random_.below(choices_.size());
    const int first = random_.below(choices_.size());
    for (int c = 0; c < choices_.size(); ++c) {
      const int b = (first + c) % choices_.size();
      if (set[a] == set[b]) continue;
      std::swap(set[a], set[b]);
      return;
    }
    set[a] = !set[a];
  }

  NodePlan judge(const CopyProblem& in, const NodePlan& from) {
    return judge_plan(in.problem, in.numbers, from, judge_moves_, random_.next(),
                      [this] { return stopping(); });
  }

  /// What a plan takes beyond one pass without copies.
  Joules extra(const CopyProblem& in, const NodePlan& plan) const {
    return in.base_joules - least_joules_ + plan.extra_joules;
  }

  /// `share` is of the threshold.
  bool accepts(const NodePlan& before, const CopyProblem& next, const NodePlan& after,
               double share) const {
    if (!before.fits()) {
      return after.fits() || after.trouble <= before.trouble * (1 + kTroubleHeat * share);
    }
    return after.fits() &&
           extra(next, after) <= extra(hand_, before) + kHeat * share * extra(best_, best_plan_);
  }

  bool is_better(const CopyProblem& in, const NodePlan& plan) const {
    if (!best_plan_.fits()) return plan.fits() || plan.trouble < best_plan_.trouble;
    return plan.fits() && extra(in, plan) < extra(best_, best_plan_);
  }

  void note(const CopyProblem& in, const NodePlan& plan) {
    if (!is_better(in, plan)) return;
    best_ = in;
    best_plan_ = plan;
    if (plan.fits()) take(in, schedule_of(in.problem, in.numbers, plan));
  }

  /// A schedule from elsewhere.
  void take_schedule(const CopyProblem& in, const Schedule& schedule) {
    if (!take(in, schedule)) return;
    best_ = in;
    best_plan_ = plan_of(in.problem, in.numbers, schedule);
    // A plan has nothing that serves nothing, such as a copy that is never read back.
    if (best_plan_.fits()) take(in, schedule_of(in.problem, in.numbers, best_plan_));
  }

  /// Keeps a schedule if its replay is better than the best one's. Returns whether it is.
  bool take(const CopyProblem& in, const Schedule& schedule) {
    const Replay replay = simulate(in.problem.graph, schedule, in.problem.limits);
    if (!replay.valid()) return false;
    const auto keep_least = [&](std::optional<Joules>& least) {
      if (!least || replay.energy_joules < *least) least = replay.energy_joules;
    };
    if (std::count(in.set.begin(), in.set.end(), 0) == choices_.size()) {
      keep_least(found_.without_joules);
    } else if (std::count(in.set.begin(), in.set.end(), 0) == 0) {
      keep_least(found_.all_joules);
    }
    if (found_.schedule && replay.energy_joules >= found_.energy_joules) return false;
    found_.set = in.set;
    found_.schedule = schedule;
    found_.energy_joules = replay.energy_joules;
    if (options_.improved) options_.improved(replay.energy_joules);
    return true;
  }

  const CopyChoices& choices_;
  const CopySearchOptions& options_;
  Stopwatch watch_;
  Random random_;
  std::int64_t judge_moves_ = 0;
  double all_moves_ = 0;
  Joules least_joules_ = 0;
  CopyProblem hand_;
  CopyProblem best_;
  NodePlan best_plan_;  // in best_
  FoundCopies found_;
};

}  // namespace

FoundCopies search_copies(const CopyChoices& choices, const CopySearchOptions& options) {
  return CopySearch(choices, options).run();
}

}  // namespace poet
