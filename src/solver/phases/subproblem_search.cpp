#include "solver/phases/subproblem_search.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "base/process/ordered_calls.hpp"
#include "solver/formulation/cuts.hpp"
#include "solver/formulation/rows_on_demand.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "solver/milp/mip_fields.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/solve_state.hpp"

namespace poet {
namespace {

/// Subproblems that are chosen before the answer to the first of them is known. A better schedule
/// lowers the cutoff of those after them only.
constexpr std::size_t kSearchesInLine = 4;

/// What is searched for: schedules cheaper than the incumbent, or any schedule at any cost.
enum class SearchAim { cheaper, any };

class SubproblemSearch {
 public:
  SubproblemSearch(SolveState& state, std::string phase, const Formulation& model,
                   const ScaledMilp& scaled, SearchAim aim, const std::vector<int>& rows,
                   const std::vector<Cut>& cuts)
      : state_(state),
        phase_(std::move(phase)),
        model_(model),
        scaled_(scaled),
        aim_(aim),
        on_demand_(model, state.problem.graph),
        whole_(aim == SearchAim::any ? without_costs(scaled.milp) : scaled.milp) {
    const int known = static_cast<int>(scaled.milp.rows.size());
    for (const int row : rows) {
      if (row >= known) add_on_demand(row - known, on_demand_.make(row - known));
    }
    for (const Cut& cut : cuts) whole_.rows.push_back(to_row(model_, state_.problem.graph, cut));
  }

  ModelVerdict run(const std::vector<Count>& counts, std::vector<Subproblem> subproblems) {
    subproblems_ = std::move(subproblems);
    std::sort(subproblems_.begin(), subproblems_.end(),
              [](const Subproblem& a, const Subproblem& b) { return a.bound < b.bound; });
    for (const Subproblem& subproblem : subproblems_) taken_bounds_.push_back(subproblem.bound);
    const Seconds start = state_.clock.elapsed();
    shares_.emplace(state_.work_left(), std::min(subproblems_.size(), kSearchesInLine),
                    loading().moves());
    OrderedCalls<SearchTask, MipProgress, MipResult> calls{
        .processes = processes(), .length = kSearchesInLine, .memory_bytes = memory()};
    calls.draw = [this] { return draw(); };
    calls.needless = [this](const SearchTask& task) {
      return taken_bounds_[task.subproblem] >= cutoff();
    };
    calls.work = [&](const SearchTask& task, const auto& report) {
      return search(task, counts, report);
    };
    calls.check = [this](const MipResult& mip) { check_points(mip, whole_.columns.size()); };
    calls.on_report = [this](SearchTask& task, const MipProgress& now, bool is_first) {
      task.latest = now;
      if (is_first) note(task);
    };
    calls.take = [this](SearchTask& task, auto answer) {
      nodes_under_way_ = 0;
      if (answer) return take(task, result_of(std::move(*answer)));
      shares_->end(task.most_work, 0);
      return true;
    };
    calls.on_tick = [this] {
      state_.report_progress(phase_, state_.statistics.nodes + nodes_under_way_);
      return !state_.stopping();
    };
    const std::vector<SearchTask> left = calls.run();
    if (state_.stopping()) {
      for (const SearchTask& task : left) {
        note(task);
        state_.statistics.nodes += task.latest.nodes;
      }
    }
    state_.statistics.milp_seconds += state_.clock.elapsed() - start;
    return verdict_;
  }

 private:
  /// A search of a subproblem by CBC.
  struct SearchTask {
    std::size_t subproblem = 0;
    std::size_t rows = 0;               ///< of the whole model, when the task was drawn
    std::int64_t most_work = kNoLimit;  ///< its share, in moves
    MipOptions options;
    MipProgress latest;
  };

  std::optional<SearchTask> draw() {
    const bool is_new = again_.empty();
    if (is_new && (next_ == subproblems_.size() || has_what_it_aims_at())) return std::nullopt;
    const std::optional<std::int64_t> share = shares_->next();
    if (!share) return std::nullopt;
    SearchTask task;
    if (is_new) {
      task.subproblem = next_++;
      task.options = first_options();
    } else {
      task = std::move(again_.front());
      again_.pop_front();
    }
    task.rows = whole_.rows.size();
    task.most_work = *share;
    task.latest = {};
    task.options.cutoff = cutoff();
    task.options.iterations = loading().iterations_until(*share, whole_.columns.size());
    return task;
  }

  double cutoff() const {
    return aim_ == SearchAim::any ? kInfinity : proof_cutoff(state_, scaled_);
  }

  bool has_what_it_aims_at() {
    return state_.done() || (aim_ == SearchAim::any && state_.incumbent.schedule());
  }

  /// The work of one search before its first iteration.
  Work loading() const {
    Work work;
    work.add_search(whole_.nonzeros());
    return work;
  }

  /// No more than have something to do: each has its part of the memory.
  int processes() const {
    const auto most = static_cast<std::size_t>(state_.options.settings.threads);
    return static_cast<int>(std::min(most, std::max<std::size_t>(1, subproblems_.size())));
  }

  Bytes memory() const { return state_.options.settings.memory_limit_bytes; }

  MipOptions first_options() const {
    MipOptions options{.absolute_gap = scaled_.to_units(state_.gap_joules()),
                       .memory_bytes = memory(),
                       .seed = state_.options.settings.seed,
                       .heuristics = !state_.incumbent.schedule()};
    if (separates_cuts()) {
      options.cuts = [this](std::span<const double> values) { return rows_and_cuts(values); };
      // Beside cuts in the model's own columns CBC can presolve little. Without any presolve, a
      // search under a cutoff needs no second one to confirm it.
      options.presolve = cutoff() == kInfinity;
    }
    return options;
  }

  /// A small graph's model is searched sooner with CBC's presolve, which cuts exclude. A full model
  /// without a gap needs the second search that confirms a presolved one: after the first the bound
  /// can stay some 1e-9 below the energy. Rows on demand come in as cuts.
  bool separates_cuts() const {
    if (!state_.options.settings.features.cuts_in_cbc) return false;
    if (model_.windows.collapsed()) return true;
    if (on_demand_.size() > 0) return true;
    return model_.size() > state_.options.small_graph && state_.gap_joules() > 0;
  }

  /// In a process of the task's own, which has CBC in one below it.
  MipResult search(const SearchTask& task, const std::vector<Count>& counts,
                   const std::function<void(const MipProgress&)>& report) {
    whole_.rows.resize(task.rows);
    for (const CountRange& range : subproblems_[task.subproblem].ranges) {
      whole_.rows.push_back(range_row(counts, range));
    }
    MipOptions options = task.options;
    options.time_limit_seconds = state_.time_for_step(1);
    MipProgress latest;
    MipResult mip = solve_mip(whole_, options, [&](const MipProgress& now) {
      if (now.nodes > latest.nodes || now.bound > latest.bound) {
        latest = {.nodes = now.nodes, .bound = std::max(latest.bound, now.bound)};
        report(latest);
      }
      return !state_.clock.expired();
    });
    // So it does not matter which reports came in time.
    mip.bound = std::max(mip.bound, latest.bound);
    return mip;
  }

  static MipResult result_of(ChildAnswer<MipResult> answer) {
    if (answer.result) return std::move(*answer.result);
    return {.message = "CBC " + answer.failure};
  }

  /// Returns false if nothing is left to do.
  bool take(SearchTask& task, const MipResult& mip) {
    state_.statistics.nodes += mip.nodes;
    const std::int64_t done = work_of(task, mip);
    shares_->end(task.most_work, done);
    state_.work.add_moves(done);
    if (mip.status == MipResult::Status::failed) {
      raise(task.subproblem, task.latest.bound);
      state_.trouble = mip.message;
      return true;
    }
    if (says_infeasible(task.options, mip)) {
      state_.searches_without_result = mip.searches;
      verdict_ = ModelVerdict::infeasible;
      return false;
    }
    if (mip.values)
      state_.offer_or_repair(schedule_of_point(model_, state_.problem.graph, *mip.values));
    taken_bounds_[task.subproblem] = std::max(taken_bounds_[task.subproblem], mip.bound);
    raise(task.subproblem, mip.bound);
    state_.report_progress(phase_, state_.statistics.nodes);
    if (has_what_it_aims_at()) return false;
    if (exclude_false_solutions(mip, task)) again_.push_back(std::move(task));
    return true;
  }

  /// In moves.
  std::int64_t work_of(const SearchTask& task, const MipResult& mip) const {
    Work done = loading();
    done.add_iterations(mip.iterations, whole_.columns.size());
    if (mip.status == MipResult::Status::failed) done.add_failed(task.most_work);
    return done.moves();
  }

  void note(const SearchTask& task) {
    nodes_under_way_ = task.latest.nodes;
    raise(task.subproblem, task.latest.bound);
  }

  /// Takes a bound on a subproblem; a search without costs has no bounds.
  void raise(std::size_t which, double units) {
    if (aim_ == SearchAim::any) return;
    subproblems_[which].bound = std::max(subproblems_[which].bound, units);
    double least = kInfinity;
    for (const Subproblem& subproblem : subproblems_) least = std::min(least, subproblem.bound);
    raise_bound(state_, scaled_, least, phase_);
  }

  static bool says_infeasible(const MipOptions& options, const MipResult& mip) {
    return mip.status == MipResult::Status::finished && !mip.values && options.cutoff == kInfinity;
  }

  /// Returns true if another search can achieve more. Either CBC took points for solutions that
  /// overrun a budget, by less than its tolerances or for want of a row on demand, and the model
  /// now has covers and rows against them; or it left doubts that a finer search, in the model's
  /// own columns, may resolve.
  bool exclude_false_solutions(const MipResult& mip, SearchTask& task) {
    std::vector<std::vector<double>> points = mip.dropped;
    if (mip.values) points.push_back(*mip.values);
    std::vector<MilpRow> covers = violated_covers(model_, state_.problem, points);
    bool missed = !covers.empty();
    whole_.rows.insert(whole_.rows.end(), covers.begin(), covers.end());
    for (const std::vector<double>& point : points) missed |= misses_rows(point, task.rows);
    MipOptions& options = task.options;
    const bool finer = !missed && mip.doubtful && !options.fine;
    if (finer) {
      options.fine = true;
      options.presolve = options.heuristics = false;
    }
    return finer || missed;
  }

  /// Adds the rows on demand that CBC's solution breaks; false if its model, the first `rows` of
  /// the whole one, had them all.
  bool misses_rows(std::span<const double> solution, std::size_t rows) {
    constexpr double kBroken = 1e-6;  // CBC keeps the rows that it has within so much
    std::vector<double> rounded(solution.begin(), solution.end());
    for (double& value : rounded) value = std::round(value);
    bool missed = false;
    for (NumberedRow& found : on_demand_.violated(rounded, kBroken)) {
      missed |= add_on_demand(found.number, std::move(found.row)) >= rows;
    }
    return missed;
  }

  /// Once; the index in the whole model.
  std::size_t add_on_demand(int number, MilpRow row) {
    const auto [at, is_new] = rows_on_demand_.emplace(number, whole_.rows.size());
    if (is_new) whole_.rows.push_back(std::move(row));
    return at->second;
  }

  /// What a point at one of CBC's nodes violates: rows on demand, or else cuts.
  std::vector<MilpRow> rows_and_cuts(std::span<const double> values) const {
    constexpr double kWorthARow = 1e-4;
    std::vector<MilpRow> rows;
    for (NumberedRow& found : on_demand_.violated(values, kWorthARow)) {
      rows.push_back(std::move(found.row));
    }
    if (!rows.empty()) return rows;
    const Graph& graph = state_.problem.graph;
    for (const PrecedenceCut& cut : separate_precedence(model_, graph, values, {})) {
      rows.push_back(to_row(model_, graph, cut));
    }
    return rows;
  }

  SolveState& state_;
  std::string phase_;
  const Formulation& model_;
  const ScaledMilp& scaled_;
  SearchAim aim_;
  RowsOnDemand on_demand_;
  Milp whole_;                                 // with the cuts
  std::map<int, std::size_t> rows_on_demand_;  // where the whole model has them, by number
  std::optional<WorkShares> shares_;           // of the searches, while they run
  std::vector<Subproblem> subproblems_;
  std::vector<double> taken_bounds_;  // of them, by answers; reports come when they like
  std::size_t next_ = 0;              // of them to be drawn
  std::deque<SearchTask> again_;      // to be drawn before
  std::int64_t nodes_under_way_ = 0;
  ModelVerdict verdict_ = ModelVerdict::open;
};

}  // namespace

ModelVerdict search_subproblems(SolveState& state, const std::string& phase,
                                const Formulation& model, const ScaledMilp& scaled,
                                const std::vector<int>& rows, const std::vector<Cut>& cuts,
                                const std::vector<Count>& counts,
                                std::vector<Subproblem> subproblems) {
  return SubproblemSearch(state, phase, model, scaled, SearchAim::cheaper, rows, cuts)
      .run(counts, std::move(subproblems));
}

ModelVerdict search_any_schedule(SolveState& state, const std::string& phase,
                                 const Formulation& model, const ScaledMilp& scaled) {
  return SubproblemSearch(state, phase, model, scaled, SearchAim::any, {}, {}).run({}, {{}});
}

}  // namespace poet
