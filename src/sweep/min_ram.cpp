// The smallest RAM budget of many curves. The bisection itself is in src/question; here a search
// learns from searches with looser limits. Searches wait for all that allow more, as points do, so
// the answers do not depend on how many run at once. A curve with little time learns most: its
// floor is the answer of the curve with more.

#include "poet/min_ram.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "question/least_ram.hpp"
#include "sweep/child_tasks.hpp"
#include "sweep/dominance.hpp"
#include "sweep/fields.hpp"

namespace poet {
namespace {

MinRamTask make_task(const SweepGrid& grid, int subject, TechniqueSet set,
                     const RuntimeBudget& runtime) {
  return {.subject = subject,
          .runtime = runtime,
          .limits = limits_of(grid.subjects[subject], set, runtime, 0)};
}

/// Whether `loose` is another task of the same subject and allows as much as `tight`.
bool is_looser(const std::vector<MinRamTask>& tasks, int loose, int tight) {
  return loose != tight && tasks[loose].subject == tasks[tight].subject &&
         dominates_otherwise(tasks[loose].limits, tasks[tight].limits);
}

/// Runs the searches in child processes, the loosest tasks first: what is proven for limits that
/// allow more holds for those that allow less, and a schedule of theirs may fit as it is. So each
/// search starts with the narrowest interval that the ones before leave.
class Run {
 public:
  Run(const SweepGrid& grid, const std::vector<MinRamTask>& tasks, const MinRamOptions& options,
      MinRams& found)
      : grid_(grid),
        tasks_(tasks),
        options_(options),
        found_(found),
        started_(tasks.size(), false) {
    found_.resize(tasks.size());
  }

  bool run() {
    run_child_tasks<MinRam>(
        options_.jobs,
        {.next = [this] { return next(); },
         .work = [this](int task, const auto&) { return work(task); },
         .answered = [this](int task, MinRam found) { record(task, std::move(found)); },
         .failed = [this](int task,
                          const std::string& reason) { record(task, {.failure = reason}); },
         .interrupted = options_.interrupted});
    return std::all_of(found_.begin(), found_.end(),
                       [](const auto& known) { return known.has_value(); });
  }

 private:
  std::optional<int> next() {
    for (int t = 0; t < static_cast<int>(tasks_.size()); ++t) {
      if (started_[t] || found_[t] || waits(t)) continue;
      started_[t] = true;
      if (options_.started) options_.started(t);
      return t;
    }
    return std::nullopt;
  }

  // Quadratic in the tasks, of which there is one for each curve and not for each point.
  bool waits(int task) const {
    for (int t = 0; t < static_cast<int>(tasks_.size()); ++t) {
      if (!found_[t] && is_looser(tasks_, t, task)) return true;
    }
    return false;
  }

  /// A task that allows more cannot need more RAM, so its proofs hold here; its schedule may fit.
  MinRam work(int task) const {
    Bytes floor = 0;
    std::vector<OrderedSchedule> starts;
    const auto learn = [&](const MinRam& known) {
      floor = std::max(floor, known.infeasible_below_bytes);
      if (!known.infeasible) starts.push_back({known.schedule, known.order});
    };
    for (int t = 0; t < static_cast<int>(tasks_.size()); ++t) {
      if (is_looser(tasks_, t, task) && found_[t]->failure.empty()) learn(*found_[t]);
    }
    if (task < static_cast<int>(options_.known.size()) && options_.known[task]) {
      learn(*options_.known[task]);
    }
    SolveOptions solve = options_.solve;
    solve.interrupted = nullptr;  // the parent ends this process
    const Subject& subject = grid_.subjects[tasks_[task].subject];
    const Limits& limits = tasks_[task].limits;
    if (solve.settings.order == OrderKind::search) {
      return least_ram_of_orders(subject, limits, solve, floor, starts);
    }
    if (solve.settings.order == OrderKind::given && subject.chosen) {
      return least_ram_in_given_order(subject, limits, solve, floor);
    }
    std::vector<const Schedule*> in_order;
    for (const OrderedSchedule& start : starts) {
      if (start.order.empty()) in_order.push_back(&start.schedule);
    }
    return least_ram(subject, limits, solve, floor, in_order);
  }

  // A failure is an answer too: what waits for it must not wait for ever, and learns nothing from
  // it.
  void record(int task, MinRam found) {
    found_[task] = std::move(found);
    if (options_.finished) options_.finished(task, *found_[task]);
  }

  const SweepGrid& grid_;
  const std::vector<MinRamTask>& tasks_;
  const MinRamOptions& options_;
  MinRams& found_;
  std::vector<bool> started_;
};

}  // namespace

std::vector<MinRamTask> min_ram_tasks(const SweepGrid& grid) {
  std::vector<MinRamTask> tasks;
  for (int s = 0; s < static_cast<int>(grid.subjects.size()); ++s) {
    for (const TechniqueSet set : grid.techniques) {
      for (const RuntimeBudget& runtime : grid.runtime) {
        tasks.push_back(make_task(grid, s, set, runtime));
      }
    }
  }
  return tasks;
}

/// What allows more needs no more RAM, so the other tasks cannot have the smallest budget.
std::vector<MinRamTask> loosest_tasks(const SweepGrid& grid) {
  const std::vector<MinRamTask> all = min_ram_tasks(grid);
  std::vector<MinRamTask> loosest;
  for (int t = 0; t < static_cast<int>(all.size()); ++t) {
    bool beaten = false;
    for (int other = 0; other < static_cast<int>(all.size()); ++other) {
      beaten = beaten || is_looser(all, other, t);
    }
    if (!beaten) loosest.push_back(all[t]);
  }
  return loosest;
}

/// If no curve of a subject has a schedule, the working set stands for `min`: the points then say
/// that nothing fits.
std::vector<Bytes> smallest_ram(const SweepGrid& grid, const std::vector<MinRamTask>& tasks,
                                const MinRams& found) {
  std::vector<Bytes> smallest(grid.subjects.size(), kMaxBytes);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const Subject& subject = grid.subjects[tasks[t].subject];
    if (!found[t] || !found[t]->failure.empty()) {
      throw InternalError(fmt::format("{}: the smallest RAM budget is not known: {}",
                                      subject.name(),
                                      found[t] ? found[t]->failure : "it was not looked for"));
    }
    if (found[t]->infeasible) continue;
    Bytes& least = smallest[tasks[t].subject];
    least = std::min(least, found[t]->feasible_bytes);
  }
  for (std::size_t s = 0; s < smallest.size(); ++s) {
    if (smallest[s] == kMaxBytes) smallest[s] = working_set(grid.subjects[s].graph).bytes;
  }
  return smallest;
}

bool run_min_ram(const SweepGrid& grid, const std::vector<MinRamTask>& tasks,
                 const MinRamOptions& options, MinRams& found) {
  return Run(grid, tasks, options, found).run();
}

}  // namespace poet
