#include "baselines/run_baselines.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "base/text/figures.hpp"
#include "poet/simulate.hpp"
#include "report/summary.hpp"
#include "report/unplaced_file.hpp"
#include "sweep/dominance.hpp"

namespace poet {
namespace {

/// Whether a rule is about a budget, and not about what a schedule is.
bool is_budget(Rule rule) {
  return rule == Rule::ram || rule == Rule::runtime || rule == Rule::storage;
}

/// Runs the methods at one point.
class PointRun {
 public:
  PointRun(const SweepGrid& grid, const SweepPoint& point, int number,
           const BaselineOptions& options)
      : subject_(grid.subjects[point.subject]),
        point_(point),
        number_(number),
        options_(options),
        bound_(subject_.base.energy_joules) {}

  BaselineResult run(const MethodInfo& method) {
    const Limits limits =
        limits_of(subject_, method.techniques, point_.runtime, point_.limits.ram_budget_bytes);
    const Problem problem{.graph = subject_.graph, .limits = limits};
    const Stopwatch watch;
    BaselineResult result{.row = empty_row(method)};
    if (method.run == nullptr) {
      report_solve(method, problem, result);
    } else {
      report_attempt(problem, method.run(problem), watch, result);
    }
    result.row.wall_seconds = watch.elapsed();
    return result;
  }

 private:
  BaselineRow empty_row(const MethodInfo& method) const {
    return {.point = number_,
            .method = std::string(method.name),
            .problem = row_problem(subject_, method.techniques, point_.runtime, options_.settings),
            .ram_budget_bytes = point_.limits.ram_budget_bytes,
            .requested_gap = options_.settings.gap,
            .baseline_energy_joules = subject_.base.energy_joules,
            .baseline_peak_ram_bytes = subject_.base.peak_ram_bytes,
            .summary = {},
            .parameter = {},
            .source = std::string(method.source),
            .changes = std::string(method.changes),
            .schedule_file = {},
            .reason = {}};
  }

  void report_attempt(const Problem& problem, Attempt attempt, const Stopwatch& watch,
                      BaselineResult& result) {
    BaselineRow& row = result.row;
    row.parameter = attempt.parameter;
    row.reason = attempt.reason;
    if (!attempt.schedule) {
      row.status = BaselineRow::Status::not_applicable;
      return;
    }
    const Replay replay = simulate(problem.graph, *attempt.schedule, problem.limits);
    row.summary = summarise(problem.graph, replay, problem.limits.ram_budget_bytes, bound_);
    if (problem.limits.paging_time != PagingTime::free) {
      add_exact_figures(*row.summary, problem.graph, replay);
    }
    const auto fault = std::find_if(replay.violations.begin(), replay.violations.end(),
                                    [](const Violation& found) { return !is_budget(found.rule); });
    if (fault != replay.violations.end()) {
      fail(result,
           fmt::format("its schedule breaks {}: {}", rule_name(fault->rule), fault->message));
      return;
    }
    if (!replay.valid()) {
      row.status = BaselineRow::Status::infeasible;
      row.reason = replay.violations.front().message;
      return;
    }
    SolveResult answer{.status = Status::feasible,
                       .schedule = std::move(attempt.schedule),
                       .energy_joules = replay.energy_joules,
                       .lower_bound_joules = bound_,
                       .reason = {},
                       .smallest_ram_bytes = {},
                       .bounds = {},
                       .statistics = {.formulation = "none", .wall_seconds = watch.elapsed()}};
    settle(problem, answer, result);
  }

  void report_solve(const MethodInfo& method, const Problem& problem, BaselineResult& result) {
    SolveOptions wishes{.settings = options_.settings};
    wishes.interrupted = options_.interrupted;
    if (options_.progress) {
      wishes.progress = [&](const Progress& now) {
        options_.progress(number_, method.method, now);
      };
    }
    SolveResult answer = solve(problem, wishes);
    BaselineRow& row = result.row;
    row.reason = explain(answer);
    row.proven = answer.status == Status::optimal || answer.status == Status::infeasible;
    if (method.method == Method::poet) {
      bound_ = std::max(bound_, answer.lower_bound_joules);
      infeasible_ = answer.status == Status::infeasible;
    }
    answer.lower_bound_joules = std::max(answer.lower_bound_joules, bound_);
    if (answer.schedule) {
      settle(problem, answer, result);
    } else {
      row.status = answer.status == Status::infeasible ? BaselineRow::Status::infeasible
                                                       : BaselineRow::Status::unknown;
    }
  }

  /// A schedule that keeps to the budgets becomes a file, unless it contradicts a proof.
  void settle(const Problem& problem, const SolveResult& answer, BaselineResult& result) {
    if (infeasible_) {
      fail(result, "its schedule keeps to budgets that are proven to have none");
      return;
    }
    if (answer.lower_bound_joules > answer.energy_joules &&
        !agree(answer.lower_bound_joules, answer.energy_joules)) {
      const auto [energy, bound] = distinct(answer.energy_joules, answer.lower_bound_joules);
      fail(result,
           fmt::format("its schedule needs {} J, below the proven bound of {} J", energy, bound));
      return;
    }
    const Limits& limits = problem.limits;
    result.file = make_unplaced_file(
        subject_.model, subject_.platform ? &*subject_.platform : nullptr, problem,
        make_request(limits, point_.runtime, subject_.base, options_.settings), answer);
    result.row.status = BaselineRow::Status::feasible;
    result.row.summary = result.file->summary;
  }

  static void fail(BaselineResult& result, std::string reason) {
    result.row.status = BaselineRow::Status::failed;
    result.row.reason = std::move(reason);
  }

  const SweepSubject& subject_;
  const SweepPoint& point_;
  int number_;
  const BaselineOptions& options_;
  Joules bound_;             ///< proven for every schedule within the budgets
  bool infeasible_ = false;  ///< proven: there is none
};

}  // namespace

std::vector<BaselineResult> run_baselines(const SweepGrid& grid,
                                          const std::vector<SweepPoint>& points,
                                          const BaselineOptions& options) {
  const auto stopped = [&] { return options.interrupted && options.interrupted(); };
  std::vector<Method> order = options.methods;
  std::stable_partition(order.begin(), order.end(),
                        [](Method method) { return method == Method::poet; });
  std::vector<BaselineResult> all;
  for (int p = 0; p < static_cast<int>(points.size()) && !stopped(); ++p) {
    PointRun run(grid, points[p], p, options);
    std::map<Method, BaselineResult> found;
    for (const Method method : order) {
      if (stopped()) break;
      if (options.started) options.started(p, method);
      BaselineResult result = run.run(info_of(method));
      if (options.finished) options.finished(p, result);
      found.emplace(method, std::move(result));
    }
    for (const Method method : options.methods) {
      if (const auto at = found.find(method); at != found.end()) {
        all.push_back(std::move(at->second));
      }
    }
  }
  return all;
}

}  // namespace poet
