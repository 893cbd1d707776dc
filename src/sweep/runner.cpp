#include <algorithm>
#include <utility>

#include "io/outcome_json.hpp"
#include "poet/error.hpp"
#include "poet/sweep.hpp"
#include "sweep/knowledge.hpp"
#include "sweep/point_order.hpp"
#include "sweep/solve_point.hpp"
#include "sweep/workers.hpp"

namespace poet {
namespace {

class Sweep {
 public:
  Sweep(const SweepGrid& grid, const std::vector<SweepPoint>& points, const SweepOptions& options,
        SweepOutcomes& outcomes)
      : grid_(grid),
        points_(points),
        options_(options),
        outcomes_(outcomes),
        order_(points),
        knowledge_(grid, points, options.starts) {
    outcomes_.resize(points.size());
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (!outcomes_[p]) continue;
      knowledge_.add(static_cast<int>(p), *outcomes_[p]);
      order_.finish(static_cast<int>(p));
    }
  }

  bool run() {
    run_workers(options_.jobs,
                {.next = [this] { return next(); },
                 .work = [this](int point, const auto& progress) { return work(point, progress); },
                 .progress = [this](int point, const Progress& now) { tell(point, now); },
                 .answered = [this](int point, const std::string& answer) { take(point, answer); },
                 .failed = [this](int point, const std::string& reason) { fail(point, reason); },
                 .interrupted = options_.interrupted});
    return std::all_of(outcomes_.begin(), outcomes_.end(),
                       [](const auto& outcome) { return outcome.has_value(); });
  }

 private:
  /// Finishes points that need no process until one does.
  std::optional<int> next() {
    while (!(options_.interrupted && options_.interrupted())) {
      const std::optional<int> point = order_.next();
      if (!point) return std::nullopt;
      std::optional<SweepOutcome> known = knowledge_.outcome_of(*point, options_.solve.gap);
      if (!known) {
        if (options_.started) options_.started(*point);
        return point;
      }
      knowledge_.add(*point, *known);
      record(*point, std::move(*known));
    }
    return std::nullopt;
  }

  std::string work(int point, const std::function<void(const Progress&)>& progress) const {
    SolveOptions solve = knowledge_.options_for(point, options_.solve);
    solve.progress = progress;
    solve.interrupted = nullptr;  // the parent ends this process
    const Problem problem{.graph = grid_.subjects[points_[point].subject].graph,
                          .limits = points_[point].limits};
    SweepOutcome outcome{.result = solve_point(problem, solve)};
    outcome.wall_seconds = outcome.result.report.wall_seconds;
    return outcome_json(outcome);
  }

  void tell(int point, const Progress& progress) {
    if (options_.progress) options_.progress(point, progress);
  }

  /// An answer counts only after its schedule has been replayed.
  void take(int point, const std::string& answer) {
    SweepOutcome outcome;
    try {
      outcome = parse_outcome(answer, "answer");
      knowledge_.add(point, outcome);
    } catch (const InputError& error) {
      outcome = {.failure = error.what()};
    }
    record(point, std::move(outcome));
  }

  void fail(int point, const std::string& reason) {
    record(point, SweepOutcome{.failure = reason});
  }

  void record(int point, SweepOutcome outcome) {
    order_.finish(point);
    outcomes_[point] = std::move(outcome);
    if (options_.finished) options_.finished(point, *outcomes_[point]);
  }

  const SweepGrid& grid_;
  const std::vector<SweepPoint>& points_;
  const SweepOptions& options_;
  SweepOutcomes& outcomes_;
  PointOrder order_;
  Knowledge knowledge_;
};

}  // namespace

std::string_view outcome_name(const SweepOutcome& outcome) {
  return outcome.failure.empty() ? status_name(outcome.result.status) : "failed";
}

bool run_sweep(const SweepGrid& grid, const std::vector<SweepPoint>& points,
               const SweepOptions& options, SweepOutcomes& outcomes) {
  return Sweep(grid, points, options, outcomes).run();
}

}  // namespace poet
