// A solve looks at its clock and for signals between its steps. A step that never returns would
// lose the best schedule: with OpenBLAS and little address space fork() itself has hung, in a
// handler of that library. So the work is done by a child, and what it finds is kept by a parent
// that has nothing else to do. The child reports each better schedule when it is found, through a
// pipe: what the parent has is whole, and costs a message for each schedule, which is little beside
// the replay that each has passed. What the parent has at the end is replayed again, so a child
// that went wrong cannot pass on an invalid schedule.

#include "question/watched_solve.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/process/call_messages.hpp"
#include "base/process/shared_flag.hpp"
#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "question/fields.hpp"
#include "solver/incumbent.hpp"
#include "solver/work.hpp"

namespace poet {

/// A stage in a message: its residents are those that the stage before did not have, and beside it
/// are those that it has no more. The residents of 20,000 stages are some hundred megabytes.
struct SentStage {
  Stage stage;
  std::vector<int> gone;
};

/// A better schedule, or a state.
struct WatchReport {
  std::optional<std::vector<SentStage>> schedule;
  std::optional<Progress> progress;
};

/// How the work ended: a result, whose schedule is beside it, or an error.
struct WatchedEnd {
  std::optional<SolveResult> result;
  std::optional<std::vector<SentStage>> schedule;
  std::string input_error;
  std::string internal_error;
};

template <>
inline constexpr auto kFields<SentStage> = kMembers<&SentStage::stage, &SentStage::gone>;

template <>
inline constexpr auto kFields<WatchReport> =
    kMembers<&WatchReport::schedule, &WatchReport::progress>;

template <>
inline constexpr auto kFields<WatchedEnd> =
    kMembers<&WatchedEnd::result, &WatchedEnd::schedule, &WatchedEnd::input_error,
             &WatchedEnd::internal_error>;

namespace {

std::vector<SentStage> sent(const Schedule& schedule) {
  std::vector<SentStage> sent;
  std::span<const int> before;
  for (const auto& [resident, compute, page_out, page_in] : schedule.stages) {
    SentStage& next = sent.emplace_back(SentStage{{{}, compute, page_out, page_in}, {}});
    std::ranges::set_difference(resident, before, std::back_inserter(next.stage.resident));
    std::ranges::set_difference(before, resident, std::back_inserter(next.gone));
    before = resident;
  }
  return sent;
}

Schedule received(const std::vector<SentStage>& sent) {
  Schedule schedule;
  std::vector<int> held;
  for (const SentStage& next : sent) {
    std::vector<int> kept;
    std::ranges::set_difference(held, next.gone, std::back_inserter(kept));
    held.clear();
    std::ranges::set_union(kept, next.stage.resident, std::back_inserter(held));
    schedule.stages.push_back(next.stage);
    schedule.stages.back().resident = held;
  }
  return schedule;
}

using ReportFunction = std::function<void(const WatchReport&)>;

class Watch {
 public:
  Watch(const Problem& problem, const SolveOptions& options)
      : problem_(problem), options_(options), clock_(options.settings.time_limit_seconds) {}

  SolveResult run(const SolveFunction& work) {
    ChildCall<WatchReport, WatchedEnd> call;
    call.work = [&](const ReportFunction& report) { return work_and_report(work, report); };
    call.on_report = [&](const WatchReport& report) { return take(report); };
    call.check = [](const WatchedEnd&) {};
    call.on_tick = [&] { return has_time(); };
    call.seconds = std::numeric_limits<Seconds>::infinity();  // has_time() decides
    call.role = ChildRole::stand_in;
    ChildAnswer<WatchedEnd> answer = call.run();
    if (answer.unstarted) return work(problem_, options_);
    if (!answer.result) return best_reported(answer.failure);
    if (!answer.result->input_error.empty()) throw InputError(answer.result->input_error);
    if (!answer.result->result) throw InternalError(answer.result->internal_error);
    SolveResult result = std::move(*answer.result->result);
    if (answer.result->schedule) result.schedule = received(*answer.result->schedule);
    return result;
  }

 private:
  /// In the child.
  WatchedEnd work_and_report(const SolveFunction& work, const ReportFunction& report) const {
    SolveOptions options = options_;
    options.improved = [&](const Schedule& schedule) {
      try {
        report({.schedule = sent(schedule)});
      } catch (const std::bad_alloc&) {  // only the parent's copy is older then
      }
    };
    options.progress = [&](const Progress& progress) { report({.progress = progress}); };
    options.interrupted = [this] { return stop_.raised(); };
    try {
      WatchedEnd end{.result = work(problem_, options)};
      if (end.result->schedule) end.schedule = sent(*std::exchange(end.result->schedule, {}));
      return end;
    } catch (const InputError& error) {
      return {.input_error = error.what()};
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      return {.internal_error = error.what()};
    }
  }

  bool take(const WatchReport& report) {
    if (report.schedule) {
      if (!schedule_) first_schedule_seconds_ = clock_.elapsed();
      schedule_ = report.schedule;
      if (options_.improved) options_.improved(received(*schedule_));
    }
    if (report.progress) {
      Joules& bound = report.progress->objective == Objective::runtime ? time_bound_ : bound_;
      bound = std::max(bound, report.progress->bound_joules);
      bound_by_ = report.progress->bound_by;
      if (options_.progress) options_.progress(*report.progress);
    }
    return true;
  }

  /// Passes an interrupt on. The seconds of grace begin when this process sees that they do: one
  /// that was stopped meanwhile, as by Ctrl-Z, leaves its child all of them.
  bool has_time() {
    if (options_.interrupted && options_.interrupted()) stop_.raise();
    if (!grace_ && (stop_.raised() || clock_.expired())) grace_.emplace(kWatchGrace);
    return !grace_ || !grace_->expired();
  }

  /// `failure` is empty if the child was ended.
  SolveResult best_reported(const std::string& failure) const {
    SolveResult result{.interrupted = stop_.raised(), .solver_failed = !failure.empty()};
    result.reason = !failure.empty()
                        ? fmt::format("the process of the solve failed ({})", failure)
                        : fmt::format("the solve went on for {} s after its {} and was ended",
                                      kWatchGrace, stop_.raised() ? "interrupt" : "time limit");
    result.statistics.formulation = "none";
    result.statistics.bound_by = bound_by_;
    result.statistics.first_schedule_seconds = first_schedule_seconds_;
    result.statistics.wall_seconds = clock_.elapsed();
    add_bounds(result);
    if (!schedule_) return result;
    result.schedule = received(*schedule_);
    const Replay replay = simulate(problem_.graph, *result.schedule, problem_.limits);
    if (!replay.valid()) throw InternalError("a reported schedule does not replay");
    result.energy_joules = replay.energy_joules;
    result.lower_bound_joules = std::min(result.lower_bound_joules, result.energy_joules);
    result.status = Status::feasible;
    if (options_.settings.objective == Objective::runtime) {
      result.runtime_budget_seconds = replay.runtime_seconds;
    } else if (relative_gap(result.energy_joules, result.lower_bound_joules) <=
               options_.settings.gap + kProofTolerance) {
      result.status = Status::optimal;
    }
    return result;
  }

  /// With Objective::runtime, bounds on the energy hold for a time that the child has not reported.
  void add_bounds(SolveResult& result) const {
    const Baseline base = baseline(problem_.graph);
    result.lower_bound_joules = base.energy_joules;
    if (options_.settings.objective == Objective::runtime) {
      result.bounds.runtime_lower_bound_seconds = std::max(base.runtime_seconds, time_bound_);
    } else {
      result.lower_bound_joules =
          std::max({base.energy_joules, options_.known_bound_joules, bound_});
    }
  }

  const Problem& problem_;
  const SolveOptions& options_;
  SolveClock clock_;
  std::optional<Countdown> grace_;
  SharedFlag stop_;
  /// The best so far, as each report is of a better one.
  std::optional<std::vector<SentStage>> schedule_;
  Seconds first_schedule_seconds_ = 0;
  Joules bound_ = 0;
  std::string bound_by_;
  Seconds time_bound_ = 0;
};

}  // namespace

SolveResult solve_watched(const Problem& problem, const SolveOptions& options,
                          const SolveFunction& work) {
  return Watch(problem, options).run(work);
}

}  // namespace poet
