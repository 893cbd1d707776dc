// POET, Checkmate and MONeT compute the nodes in the order of a list; MODeL (Steiner et al., ICML
// 2023) chooses an order without recomputation. Together they buy more: with every order goes the
// best schedule that a short search finds in it.
//
// A plan names the stages of its recomputations and page-ins by their nodes, so that it is carried
// over from order to order, and each judgement begins where the last one ended. Annealing by a
// falling threshold, in rounds. No function of libm decides which order is accepted.
//
// What is found in words: weight gradients wait until their inputs are cheap to get, the short
// branch of a block comes last, masks are computed right before the backward pass reads them; see
// docs/order.md.

#include "solver/order/order_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/stopwatch.hpp"
#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "solver/order/order_judge.hpp"
#include "solver/order/order_moves.hpp"
#include "solver/order/order_working_set.hpp"
#include "solver/order/start_orders.hpp"
#include "solver/search/local_search.hpp"

namespace poet {
namespace {

// Moves of all judgements together. A large graph has fewer by node, as each takes longer.
constexpr double kMovesPerNode = 1'200'000;
constexpr double kLeastMoves = 3e6;
constexpr double kMostMoves = 180e6;
constexpr double kMovesTimesNodes = 28e9;  // from which on there are fewer
constexpr double kMovesOfLarge = 75e6;     // but no fewer than this
/// How long an order is judged, in moves, and the threshold at the start of a round, of the extra
/// energy of the best plan.
struct Judgement {
  std::int64_t moves = 0;
  double heat = 0;
};
/// What is read back from storage is written out once for all its readers, so that a plan with
/// transfers settles slowly. Without transfers many orders are worth more than long judgements.
constexpr Judgement kWithTransfers = {.moves = 30'000, .heat = 0.004};
constexpr Judgement kWithoutTransfers = {.moves = 8'000, .heat = 0.01};
constexpr std::int64_t kJudgeMovesPerNode = 300;  // at most
constexpr double kMovesOfChange = 30;             // what it takes to change an order
/// Moves of the first round, as a share of all. The second has the others and begins at the best
/// order of the first. More and shorter rounds cool down too soon: with a first round of a fiftieth
/// the same problem ended 3 to 6 % higher.
constexpr double kFirstRound = 0.33;
/// Of the changes to an order, those behind which updates, or what frees RAM, comes forward.
constexpr double kEarlyShare = 0.1;
/// Of the trouble of the plan at hand, as long as no plan fits.
constexpr double kTroubleHeat = 0.02;
/// Changes by node in search of an order whose working set fits, and their threshold.
constexpr int kWorkingSetChanges = 400;
constexpr double kWorkingSetHeat = 0.02;
/// Searches in the given order, which stand for what it has to offer.
constexpr std::uint32_t kGivenSearches = 2;
/// Moves of each, for all the usual effort: so many that a tenth of it is a whole local search,
/// against which it is stated what the order bought.
constexpr double kGivenMoves = 15e6;
/// Of the time limit, for searches in the orders of the start and in the given one. A share of the
/// time ends them only if time is short.
constexpr double kStartsTime = 0.15;
constexpr double kGivenTime = 0.1;

class OrderSearch {
 public:
  OrderSearch(const Problem& problem, const Precedence& precedence,
              const OrderSearchOptions& options)
      : problem_(problem),
        precedence_(precedence),
        options_(options),
        random_(std::uint64_t{options.seed} << 32),
        early_random_((std::uint64_t{options.seed} << 32) + 1),
        moves_(problem.graph, precedence, random_),
        judge_(problem),
        starts_(start_orders(problem.graph, precedence)),
        working_set_(problem.graph),
        given_(problem.graph.nodes.size()) {
    std::iota(given_.begin(), given_.end(), 0);
    order_ = best_order_ = given_;
    best_.trouble = std::numeric_limits<double>::infinity();
  }

  FoundOrder run() {
    if (options_.start) {
      take_schedule(options_.start_order.empty() ? given_ : options_.start_order, *options_.start);
    }
    search_start_orders();
    search_given_order();
    if (moves_.any() && working_set_.of_any_order() <= problem_.limits.ram_budget_bytes) {
      search_orders();
    }
    return std::move(found_);
  }

 private:
  /// No schedule needs less than the baseline's energy, in any order.
  bool stopping() const {
    const bool is_least = best_.fits() && best_.extra_joules <= 0;
    return is_least || options_.stop() || watch_.elapsed() >= options_.seconds;
  }

  /// A short judgement of each gives the first schedule at once; the search in the best of them
  /// makes what is found no worse than what a solve in that order begins with.
  void search_start_orders() {
    for (const NodeOrder& start : starts_) {
      if (stopping()) return;
      if (working_set_.excess(start, problem_.limits.ram_budget_bytes) > 0) continue;
      const NodeOrder at_hand = std::exchange(order_, start);
      // A seed of its own: which orders there are to begin with changes no other draw.
      note(judge_.judge(start, {}, judge_moves(), options_.seed, [this] { return stopping(); }));
      if (best_order_ != order_) order_ = at_hand;
    }
    if (best_order_ == given_) return;
    search_in(NodeOrder(best_order_), 0, kStartsTime * options_.seconds);
  }

  void search_in(const NodeOrder& order, std::uint32_t number, Seconds until) {
    LocalSearchOptions search{.seed = options_.seed + number};
    search.moves = std::min(search.moves, static_cast<std::int64_t>(options_.effort * kGivenMoves));
    search.stop = [this, until] { return stopping() || watch_.elapsed() >= until; };
    search.improved = [&](const Schedule& schedule) { take_schedule(order, schedule); };
    local_search({.graph = permuted(problem_.graph, order), .limits = problem_.limits}, search);
  }

  /// The given order gets as much search as an ordinary solve begins with, and more. If only other
  /// orders have a schedule yet, it may take but a share of the time.
  void search_given_order() {
    if (working_set(problem_.graph).bytes > problem_.limits.ram_budget_bytes) return;
    const bool is_late = found_.schedule && best_order_ != given_;
    const Seconds until =
        is_late ? watch_.elapsed() + kGivenTime * options_.seconds : options_.seconds;
    for (std::uint32_t s = 0; s < kGivenSearches && !stopping(); ++s) search_in(given_, s, until);
  }

  /// The order of a schedule for other limits is worth a long judgement.
  void try_start_order() {
    const NodeOrder& start = options_.start_order;
    if (start.empty() || start == best_order_ || stopping()) return;
    const NodeOrder at_hand = std::exchange(order_, start);
    note(judge(order_, {}, judge_moves()));
    if (best_order_ != order_) order_ = at_hand;
  }

  void search_orders() {
    try_start_order();
    find_working_set();
    if (!found_.schedule) begin();
    const double size = problem_.graph.size();
    const double most = std::clamp(kMovesTimesNodes / size, kMovesOfLarge, kMostMoves);
    const double all = options_.effort * std::clamp(kMovesPerNode * size, kLeastMoves, most);
    for (const double share : {kFirstRound, 1 - kFirstRound}) search_round(share * all);
  }

  /// If the budget is below the working set of the order at hand, no plan fits it: first an order
  /// whose computations fit one by one.
  void find_working_set() {
    const Bytes budget = problem_.limits.ram_budget_bytes;
    Bytes excess = working_set_.excess(order_, budget);
    if (excess == 0) return;
    const int changes = kWorkingSetChanges * problem_.graph.size();
    for (int c = 0; c < changes && excess > 0 && !stopping(); ++c) {
      NodeOrder next = order_;
      if (!moves_.change(next)) continue;
      const Bytes after = working_set_.excess(next, budget);
      const double threshold =
          kWorkingSetHeat * random_.uniform() * static_cast<double>(changes - c) / changes;
      if (static_cast<double>(after) > static_cast<double>(excess) * (1 + threshold)) continue;
      order_ = std::move(next);
      excess = after;
    }
  }

  /// No schedule is known in any order.
  void begin() { note(judge(order_, {}, judge_moves())); }

  /// A random change. If there are other orders to begin with, updates or what frees RAM are
  /// brought forward behind some of them: what a random change has set free comes to its place at
  /// once.
  bool change(NodeOrder& order) {
    const NodeOrder before = order;
    const bool is_changed = moves_.change(order);
    if (starts_.empty() || early_random_.uniform() >= kEarlyShare) return is_changed;
    const auto early = early_random_.uniform() < 0.5 ? with_early_updates : with_early_freeing;
    order = early(problem_.graph, precedence_, order);
    return order != before;
  }

  void search_round(double moves) {
    order_ = best_order_;
    NodePlan plan = best_;
    const std::int64_t each = judge_moves();
    double made = 0;
    while (made < moves && !stopping()) {
      NodeOrder next = order_;
      made += kMovesOfChange;
      if (!change(next)) continue;
      // A computation that does not fit by itself fits in no plan.
      const bool fits_one_by_one = working_set_.excess(next, problem_.limits.ram_budget_bytes) == 0;
      if (!fits_one_by_one && plan.fits()) continue;
      made += static_cast<double>(each);
      NodePlan judged = judge(next, plan, each);
      const double cooling = std::max(0.0, 1 - made / moves);  // the last one may overrun
      if (!accepts(plan, judged, 2 * random_.uniform() * cooling)) continue;
      order_ = std::move(next);
      plan = std::move(judged);
      note(plan);
    }
  }

  const Judgement& judgement() const {
    return problem_.limits.techniques.paging ? kWithTransfers : kWithoutTransfers;
  }

  std::int64_t judge_moves() const {
    return std::min(kJudgeMovesPerNode * problem_.graph.size(), judgement().moves);
  }

  NodePlan judge(const NodeOrder& order, const NodePlan& from, std::int64_t moves) {
    return judge_.judge(order, from, moves, random_.next(), [this] { return stopping(); });
  }

  /// `share` is of the threshold.
  bool accepts(const NodePlan& before, const NodePlan& after, double share) const {
    if (!before.fits()) {
      return after.fits() || after.trouble <= before.trouble * (1 + kTroubleHeat * share);
    }
    return after.fits() && after.extra_joules <=
                               before.extra_joules + judgement().heat * share * best_.extra_joules;
  }

  bool is_better(const NodePlan& plan) const {
    if (!best_.fits()) return plan.fits() || plan.trouble < best_.trouble;
    return plan.fits() && plan.extra_joules < best_.extra_joules;
  }

  void note(const NodePlan& plan) {
    if (!is_better(plan)) return;
    best_ = plan;
    best_order_ = order_;
    if (plan.fits()) take(best_order_, judge_.schedule_of(best_order_, plan));
  }

  /// A schedule from elsewhere, in the order that it is for.
  void take_schedule(const NodeOrder& order, const Schedule& schedule) {
    if (!take(order, schedule)) return;
    best_ = judge_.plan_of(order, schedule);
    best_order_ = order_ = order;
    // A plan has nothing that serves nothing, such as a copy that is never read.
    if (best_.fits()) take(order, judge_.schedule_of(order, best_));
  }

  /// Keeps a schedule if its replay is better than the best one's. Returns whether it is.
  bool take(const NodeOrder& order, const Schedule& schedule) {
    const bool is_given = order == given_;
    const Graph graph = is_given ? problem_.graph : permuted(problem_.graph, order);
    const Replay replay = simulate(graph, schedule, problem_.limits);
    if (!replay.valid()) return false;
    std::optional<Joules>& given = found_.given_energy_joules;
    if (is_given && (!given || replay.energy_joules < *given)) given = replay.energy_joules;
    if (found_.schedule && replay.energy_joules >= found_.energy_joules) return false;
    found_.order = is_given ? NodeOrder() : order;
    found_.schedule = schedule;
    found_.energy_joules = replay.energy_joules;
    if (options_.improved) options_.improved(found_.order, schedule, replay.energy_joules);
    return true;
  }

  const Problem& problem_;
  const Precedence& precedence_;
  const OrderSearchOptions& options_;
  Stopwatch watch_;
  Random random_;
  Random early_random_;  ///< decides which changes bring something forward
  OrderMoves moves_;
  OrderJudge judge_;
  std::vector<NodeOrder> starts_;
  OrderWorkingSet working_set_;
  NodeOrder given_;  ///< the identity
  NodeOrder order_;  ///< at hand
  NodeOrder best_order_;
  NodePlan best_;  ///< in best_order_
  FoundOrder found_;
};

}  // namespace

FoundOrder search_order(const Problem& problem, const Precedence& precedence,
                        const OrderSearchOptions& options) {
  return OrderSearch(problem, precedence, options).run();
}

}  // namespace poet
