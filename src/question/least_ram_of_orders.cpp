// The given order first, for which solves decide. Then budgets by bisection between what the
// largest computation needs by itself and the best peak so far, each with a short search over
// orders that begins at the last one that was found. That a search finds none proves nothing, so
// that the answer is exact only if the bound is reached.

#include "question/least_ram.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "poet/simulate.hpp"
#include "question/watched_order.hpp"
#include "solver/order/order_search.hpp"
#include "solver/order/order_working_set.hpp"
#include "solver/work.hpp"

namespace poet {
namespace {

/// Of the time limit, for the given order.
constexpr double kGivenShare = 0.3;
/// Of the remaining time, for one budget.
constexpr double kBudgetShare = 0.25;
/// Of the usual moves, for one budget.
constexpr double kBudgetEffort = 0.3;

/// A search that ends with its first schedule: a watching process would end it at a time that
/// differs from run to run.
FoundOrder search_first_order(const Problem& problem, const Precedence& precedence,
                              const OrderSearchOptions& options) {
  bool is_found = false;
  OrderSearchOptions first = options;
  first.stop = [&] { return is_found || options.stop(); };
  first.improved = [&](const NodeOrder& order, const Schedule& schedule, Joules energy) {
    is_found = true;
    if (options.improved) options.improved(order, schedule, energy);
  };
  return search_order(problem, precedence, first);
}

class OrdersSearch {
 public:
  OrdersSearch(const Subject& given, const Limits& limits, const SolveOptions& options)
      : given_(given),
        options_(options),
        clock_(options.settings.time_limit_seconds),
        problem_{.graph = given.graph, .limits = limits},
        precedence_(precedence(given)),
        needed_(given.graph),
        step_(ram_step(given.graph)) {}

  MinRam run(Bytes floor_bytes, const std::vector<OrderedSchedule>& starts) {
    search_given_order(starts);
    if (found_.infeasible) return std::move(found_);
    found_.infeasible_below_bytes = std::max(needed_.of_any_order(), floor_bytes);
    for (const OrderedSchedule& start : starts) offer(start);
    lower_the_top();
    found_.reason = found_.exact() ? std::string() : why_open();
    return finished();
  }

 private:
  bool interrupted() const { return options_.interrupted && options_.interrupted(); }
  bool stopping() const { return clock_.expired() || interrupted(); }

  std::string why_open() const {
    if (interrupted()) return "a signal ended the search";
    if (!failure_.empty()) return failure_;
    if (clock_.expired()) return "the time limit ended the search over orders";
    return "no order was found that needs less, and not all were tried";
  }

  void search_given_order(const std::vector<OrderedSchedule>& starts) {
    SolveOptions options = options_;
    options.settings.time_limit_seconds *= kGivenShare;
    std::vector<const Schedule*> in_given_order;
    for (const OrderedSchedule& start : starts) {
      if (start.order.empty()) in_given_order.push_back(&start.schedule);
    }
    found_ = least_ram(given_, problem_.limits, options, 0, in_given_order);
  }

  void offer(const OrderedSchedule& schedule) {
    if (schedule.order.empty()) return;  // the search in the given order had it
    const Subject subject = reordered(given_, schedule.order);
    Limits limits = problem_.limits;
    limits.ram_budget_bytes = found_.feasible_bytes;
    const Replay replay = simulate(subject.graph, schedule.schedule, limits);
    if (!replay.valid() || replay.peak_ram_bytes >= found_.feasible_bytes) return;
    found_.feasible_bytes = replay.peak_ram_bytes;
    found_.schedule = schedule.schedule;
    found_.order = schedule.order;
  }

  void lower_the_top() {
    Bytes low = found_.infeasible_below_bytes;
    Bytes budget = low;
    while (low < found_.feasible_bytes && !stopping()) {
      const Bytes before = found_.feasible_bytes;
      search_within(budget);
      if (found_.feasible_bytes == before) low = budget / step_ * step_ + step_;
      budget = std::max(low, (low + (found_.feasible_bytes - low) / 2) / step_ * step_);
    }
  }

  /// Any schedule within the budget will do.
  void search_within(Bytes budget) {
    problem_.limits.ram_budget_bytes = budget;
    OrderSearchOptions search{.seed = options_.settings.seed,
                              .start_order = found_.order,
                              .start = found_.schedule,
                              .effort = kBudgetEffort};
    search.stop = [&] { return stopping(); };
    if (options_.settings.time_limit_seconds > 0) {
      search.seconds = kBudgetShare * clock_.remaining();
    }
    WatchedOrder watched = search_order_watched(problem_, precedence_, search, search_first_order);
    if (!watched.failure.empty()) failure_ = std::move(watched.failure);
    FoundOrder& found = watched.found;
    if (!found.schedule) return;
    if (!found.order.empty()) return offer({std::move(*found.schedule), std::move(found.order)});
    const Replay replay = simulate(given_.graph, *found.schedule, problem_.limits);
    found_.feasible_bytes = replay.peak_ram_bytes;
    found_.schedule = std::move(*found.schedule);
    found_.order.clear();
  }

  // A node is named by the list of the given order, in which users know it.
  MinRam finished() {
    found_.is_working_set = found_.feasible_bytes == needed_.of_any_order();
    if (found_.is_working_set) {
      found_.node = needed_.largest_node();
    } else if (!found_.order.empty()) {
      const Subject subject = reordered(given_, found_.order);
      found_.node =
          found_.order[node_at_peak(subject.graph, found_.schedule, subject.limits.paging_time)];
    }
    found_.wall_seconds = clock_.elapsed();
    return std::move(found_);
  }

  const Subject& given_;
  const SolveOptions& options_;
  SolveClock clock_;
  Problem problem_;
  Precedence precedence_;
  OrderWorkingSet needed_;
  Bytes step_;
  MinRam found_;         ///< of the given order at first
  std::string failure_;  ///< of a process that searched, in words
};

}  // namespace

MinRam least_ram_of_orders(const Subject& given, const Limits& limits, const SolveOptions& options,
                           Bytes floor_bytes, const std::vector<OrderedSchedule>& starts) {
  return OrdersSearch(given, limits, options).run(floor_bytes, starts);
}

}  // namespace poet
