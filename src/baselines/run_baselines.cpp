#include "baselines/run_baselines.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "poet/min_ram.hpp"
#include "poet/simulate.hpp"
#include "poet/suggest_schedule.hpp"
#include "question/choose_order.hpp"
#include "question/watched_solve.hpp"
#include "report/summary.hpp"
#include "report/unplaced_file.hpp"
#include "solver/order/least_peak.hpp"
#include "sweep/dominance.hpp"
#include "sweep/ordered_subject.hpp"
#include "sweep/solve_point.hpp"

namespace poet {
namespace {

/// The same without budgets, so that what breaks them does not hide what breaks other rules: a
/// replay lists only so many violations.
Limits without_budgets(const Limits& limits) {
  return {.ram_budget_bytes = std::numeric_limits<Bytes>::max(),
          .runtime_budget_seconds = std::numeric_limits<double>::infinity(),
          .techniques = limits.techniques,
          .paging_time = limits.paging_time};
}

/// What a method made of a point, with the limits that it was given.
struct MethodAnswer {
  const MethodInfo* method = nullptr;
  std::unique_ptr<OrderedSubject> in_order;  ///< the subject, as the method orders it
  Problem problem;
  Attempt attempt;                   ///< of a method with rules of its own
  std::optional<SolveResult> solve;  ///< of one that solve() answers
  Seconds wall_seconds = 0;

  const std::optional<Schedule>& schedule() const {
    return solve ? solve->schedule : attempt.schedule;
  }
};

/// Runs the methods at one point. The bound in the rows is known only when all have run.
class PointRun {
 public:
  PointRun(const SweepGrid& grid, const SweepPoint& point, int number,
           const BaselineOptions& options)
      : subject_(grid.subjects[point.subject]),
        point_(point),
        number_(number),
        options_(options),
        bound_(subject_.base.energy_joules) {}

  void run(const MethodInfo& method) {
    MethodAnswer answer{.method = &method, .problem = problem_of(method)};
    NodeOrder order;
    Copies copies;
    const Stopwatch watch;
    if (const std::string forbidden = forbidden_technique(method); !forbidden.empty()) {
      answer.attempt =
          Attempt::not_applicable(fmt::format("it needs {}, which is forbidden", forbidden));
    } else if (method.method == Method::order_only) {
      order = least_peak_order(subject_.graph, precedence(subject_), options_.settings.seed,
                               [this] { return options_.interrupted && options_.interrupted(); });
      answer.attempt.schedule = OrderedSubject(subject_, order).get().base.schedule;
    } else if (method.method == Method::poet_ordered) {
      SweepOutcome outcome = solved_in_some_order(answer.problem.limits);
      order = std::move(outcome.order);
      answer.solve = std::move(outcome.result);
    } else if (method.method == Method::int8_all) {
      copies = all_copies(answer);
      if (answer.attempt.reason.empty()) solve_with(copies, answer);
    } else if (method.run == nullptr) {
      answer.solve = solved(method, answer.problem);
    } else {
      answer.attempt = method.run(answer.problem);
    }
    answer.wall_seconds = watch.elapsed();
    answer.in_order = std::make_unique<OrderedSubject>(subject_, order, copies);
    if (!order.empty()) answer.problem.graph = answer.in_order->get().graph;
    if (copies.tensors.empty()) offer(answer, order);
    answers_.emplace(method.method, std::move(answer));
  }

  /// The result of a method that has run; nothing for another.
  std::optional<BaselineResult> result_of(Method method) {
    const auto at = answers_.find(method);
    if (at == answers_.end()) return std::nullopt;
    const MethodAnswer& answer = at->second;
    BaselineResult result{.row = empty_row(answer)};
    if (answer.solve) {
      report_solve(answer, result);
    } else {
      report_attempt(answer, result);
    }
    result.row.wall_seconds = answer.wall_seconds;
    return result;
  }

 private:
  /// Our solver does with what is allowed. Another method without one of its techniques would not
  /// be that method.
  TechniqueSet techniques(const MethodInfo& method) const {
    const bool ours = method.method >= Method::int8_all;
    return ours ? point_.limits.techniques : method.techniques;
  }

  Limits limits(TechniqueSet set) const {
    return limits_of(subject_, set, point_.runtime, point_.limits.ram_budget_bytes);
  }

  Problem problem_of(const MethodInfo& method) const {
    return {.graph = subject_.graph, .limits = limits(techniques(method))};
  }

  std::string forbidden_technique(const MethodInfo& method) const {
    const TechniqueSet& allowed = point_.limits.techniques;
    const TechniqueSet used = techniques(method);
    if (used.paging && !allowed.paging) return "paging";
    return used.remat && !allowed.remat ? "recomputation" : "";
  }

  BaselineRow empty_row(const MethodAnswer& answer) const {
    const MethodInfo& method = *answer.method;
    const Subject& subject = answer.in_order->get();
    return {.point = number_,
            .method = std::string(method.name),
            .problem =
                row_problem(subject, limits(techniques(method)), point_.runtime, options_.settings),
            .requested_gap = options_.settings.gap,
            .baseline_energy_joules = subject.base.energy_joules,
            .baseline_peak_ram_bytes = subject.base.peak_ram_bytes,
            .summary = {},
            .parameter = {},
            .source = std::string(method.source),
            .changes = std::string(method.changes),
            .schedule_file = {},
            .reason = {}};
  }

  SolveOptions wishes_for(Method method) const {
    SolveOptions wishes{.settings = options_.settings, .suggest = suggest_schedule};
    wishes.interrupted = options_.interrupted;
    if (options_.progress) {
      wishes.progress = [this, method](const Progress& now) {
        options_.progress(number_, method, now);
      };
    }
    return wishes;
  }

  Copies all_copies(MethodAnswer& answer) const {
    try {
      return {CopyMode::int8, copy_candidates(subject_.model, CopyMode::int8)};
    } catch (const InputError& error) {
      answer.attempt = Attempt::not_applicable(error.what());
      return {};
    }
  }

  void solve_with(const Copies& copies, MethodAnswer& answer) const {
    answer.problem.graph = with_copies(subject_, copies).graph;
    answer.solve = solve_watched(answer.problem, wishes_for(Method::int8_all), solve);
  }

  SweepOutcome solved_in_some_order(const Limits& limits) const {
    if (auto refused = infeasible_in_any_order(subject_, limits)) {
      return {.result = std::move(*refused)};
    }
    return solve_in_some_order(subject_, limits, wishes_for(Method::poet_ordered),
                               best_in_any_order_, [this](const std::string& order) {
                                 return order == subject_.order_sha256() ? bound_ : Joules{0};
                               });
  }

  SolveResult solved(const MethodInfo& method, const Problem& problem) {
    SolveOptions wishes = wishes_for(method.method);
    if (method.method == Method::poet) wishes.start = best_;  // refuses a false `infeasible`
    SolveResult result = solve_watched(problem, wishes, solve);
    if (method.method == Method::poet) bound_ = std::max(bound_, result.lower_bound_joules);
    return result;
  }

  /// A method may have used less than our solver may, and never more.
  void offer(const MethodAnswer& answer, const NodeOrder& order) {
    if (!answer.schedule()) return;
    const Limits limits = problem_of(info_of(Method::poet)).limits;
    const Replay replay = simulate(answer.problem.graph, *answer.schedule(), limits);
    if (!replay.valid()) return;
    const Joules energy = replay.energy_joules;
    if (!best_in_any_order_ || energy < best_joules_in_any_order_) {
      best_in_any_order_ = {*answer.schedule(), order};
      best_joules_in_any_order_ = energy;
    }
    if (!order.empty() || (best_ && energy >= best_joules_)) return;
    best_ = answer.schedule();
    best_joules_ = energy;
  }

  /// Proven for every schedule in the order of an answer.
  Joules bound_for(const MethodAnswer& answer) const {
    const Subject& subject = answer.in_order->get();
    const bool is_given = subject.order_sha256() == subject_.order_sha256();
    return is_given ? bound_ : subject.base.energy_joules;
  }

  void report_attempt(const MethodAnswer& answer, BaselineResult& result) {
    const Problem& problem = answer.problem;
    const Attempt& attempt = answer.attempt;
    BaselineRow& row = result.row;
    row.parameter = attempt.parameter;
    row.reason = attempt.reason;
    if (!attempt.schedule) {
      row.status = BaselineRow::Status::not_applicable;
      return;
    }
    const Replay replay = simulate(problem.graph, *attempt.schedule, problem.limits);
    row.summary =
        summarise(problem.graph, replay, problem.limits.ram_budget_bytes, bound_for(answer));
    if (problem.limits.paging_time != PagingTime::free) {
      add_exact_figures(*row.summary, problem.graph, replay);
    }
    const Replay unlimited =
        simulate(problem.graph, *attempt.schedule, without_budgets(problem.limits));
    if (!unlimited.valid()) {
      const Violation& fault = unlimited.violations.front();
      fail(result, fmt::format("its schedule breaks {}: {}", rule_name(fault.rule), fault.message));
      return;
    }
    if (!replay.valid()) {
      row.status = BaselineRow::Status::infeasible;
      row.reason = replay.violations.front().message;
      return;
    }
    const SolveResult as_solved{
        .status = Status::feasible,
        .schedule = attempt.schedule,
        .energy_joules = replay.energy_joules,
        .lower_bound_joules = bound_for(answer),
        .reason = {},
        .smallest_ram_bytes = {},
        .bounds = {},
        .statistics = {.formulation = "none", .wall_seconds = answer.wall_seconds}};
    settle(answer, as_solved, result);
  }

  void report_solve(const MethodAnswer& answer, BaselineResult& result) {
    SolveResult solved = *answer.solve;
    BaselineRow& row = result.row;
    row.reason = explain(solved);
    row.proven = solved.status == Status::optimal || solved.status == Status::infeasible;
    solved.lower_bound_joules = std::max(solved.lower_bound_joules, bound_for(answer));
    if (solved.schedule) {
      settle(answer, solved, result);
    } else {
      row.status = solved.status == Status::infeasible ? BaselineRow::Status::infeasible
                                                       : BaselineRow::Status::unknown;
    }
  }

  /// A schedule that keeps to the budgets becomes a file, unless it contradicts a proof.
  void settle(const MethodAnswer& answer, const SolveResult& solved, BaselineResult& result) {
    if (solved.lower_bound_joules > solved.energy_joules &&
        !agree(solved.lower_bound_joules, solved.energy_joules)) {
      const auto [energy, bound] = distinct(solved.energy_joules, solved.lower_bound_joules);
      fail(result,
           fmt::format("its schedule needs {} J, below the proven bound of {} J", energy, bound));
      return;
    }
    const Problem& problem = answer.problem;
    const Subject& subject = answer.in_order->get();
    SolveSettings settings = options_.settings;
    if (answer.method->method == Method::poet_ordered) settings.order = OrderKind::search;
    result.file = make_unplaced_file(
        subject.model, subject.platform_or_null(), problem,
        make_request(problem.limits, point_.runtime, subject.stated_base(), settings), solved);
    if (subject.copied) result.file->model.uncopied_graph_sha256 = subject.graph_sha256();
    result.row.status = BaselineRow::Status::feasible;
    result.row.summary = result.file->summary;
  }

  static void fail(BaselineResult& result, std::string reason) {
    result.row.status = BaselineRow::Status::failed;
    result.row.reason = std::move(reason);
  }

  const Subject& subject_;
  const SweepPoint& point_;
  int number_;
  const BaselineOptions& options_;
  Joules bound_;  ///< proven for every schedule within the budgets in the subject's own order
  std::map<Method, MethodAnswer> answers_;
  std::optional<Schedule> best_;  ///< of all methods so far, in the subject's own order
  Joules best_joules_ = 0;
  std::optional<OrderedSchedule> best_in_any_order_;
  Joules best_joules_in_any_order_ = 0;
};

}  // namespace

std::optional<std::vector<Bytes>> find_smallest(const SweepGrid& grid,
                                                const SolveSettings& settings,
                                                const std::function<bool()>& interrupted) {
  if (!needs_smallest_ram(grid.ram)) return std::vector<Bytes>(grid.subjects.size(), 0);
  const std::vector<MinRamTask> tasks = loosest_tasks(grid);
  MinRams found(tasks.size());
  MinRamOptions search{.solve = {.settings = settings, .suggest = suggest_schedule}};
  search.solve.settings.order = OrderKind::given;  // in which budgets are resolved
  search.interrupted = interrupted;
  if (!run_min_ram(grid, tasks, search, found)) return std::nullopt;
  for (const auto& known : found) {
    if (!known->failure.empty()) {
      throw InternalError("the search for min failed: " + known->failure);
    }
  }
  return smallest_ram(grid, tasks, found);
}

std::vector<BaselineResult> run_baselines(const SweepGrid& grid,
                                          const std::vector<SweepPoint>& points,
                                          const BaselineOptions& options) {
  const auto stopped = [&] { return options.interrupted && options.interrupted(); };
  std::vector<Method> order = options.methods;
  const auto rank = [](Method method) {
    return method == Method::poet_ordered ? 2 : method == Method::poet ? 1 : 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](Method a, Method b) { return rank(a) < rank(b); });
  std::vector<BaselineResult> all;
  for (int p = 0; p < static_cast<int>(points.size()) && !stopped(); ++p) {
    PointRun run(grid, points[p], p, options);
    for (const Method method : order) {
      if (stopped()) break;
      if (options.started) options.started(p, method);
      run.run(info_of(method));
    }
    for (const Method method : options.methods) {
      std::optional<BaselineResult> result = run.result_of(method);
      if (!result) continue;
      if (options.finished) options.finished(p, *result);
      all.push_back(std::move(*result));
    }
  }
  return all;
}

}  // namespace poet
