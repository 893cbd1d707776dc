// What became worse or better between two results. Only what a schedule is asked for counts: a
// proof is compared as it stands, time and work of the solver are not, as they differ between
// machines. If a graph has changed, figures before and after are facts about two problems, and are
// listed as such. Limits for a rise hold for these too, as a project knows what its graph may grow
// by.
//
// A changed graph needs a rule of its own. Its points have other budgets if these are shares, so
// they are paired by their place in the grid, and neither energy can be called better. Only a
// schedule that is lost counts: however the model is now, it could be trained before.
//
// Energies are compared relative to the baseline and with a tolerance, as a solve ends within its
// gap and may end there with another schedule in another build. A proof is compared with the gap
// that the baseline was asked for, so a run that was asked for less does not pass as one that
// proved as much.

#include "sweep/compare.hpp"

#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "sweep/pairs.hpp"

namespace poet {
namespace {

class Comparer {
 public:
  Comparer(double rel_tol, OnChangedGraph on_changed_graph, const IncreaseLimits& limits)
      : on_changed_graph_(on_changed_graph) {
    comparison_.rel_tol = rel_tol;
    comparison_.limits = limits;
  }

  /// Two points that stand for the same.
  void add(const std::string& name, const ComparedPoint& before, const ComparedPoint& now) {
    begin(name, before, now);
    compare_schedules();
    check_limits();
    compare_figures();
    compare_proofs();
  }

  /// Two points that would stand for the same if their graph had not changed.
  void add_changed_graph(const std::string& name, const ComparedPoint& before,
                         const ComparedPoint& now) {
    begin(name, before, now);
    const bool fails = on_changed_graph_ == OnChangedGraph::fail;
    const std::vector<ChangedFigure> figures = changed_figures(*before_, *now_);
    add(fails ? comparison_.regressions : comparison_.graph_changes, Difference::Kind::graph,
        "graph changed: " + in_a_line(figures), figures);
    check_limits();
    if (fails || !before_->summary || now_->summary) return;
    const ChangedFigure lost = status_change("schedule", *before_, *now_);
    worse(Difference::Kind::schedule, fmt::format("graph changed: {} -> {}", lost.before, lost.now),
          {lost});
  }

  void add_other_problem(const std::string& name, const std::string& difference) {
    add_without_figures(comparison_.regressions, Difference::Kind::problem, name,
                        "not comparable: " + difference);
  }

  // A point that is gone counts as worse: dropping the hard points must not pass as progress.
  void add_missing(const std::string& name) {
    add_without_figures(comparison_.regressions, Difference::Kind::missing, name,
                        "the new result has no such point");
  }

  void add_new(const std::string& name) {
    add_without_figures(comparison_.improvements, Difference::Kind::missing, name,
                        "a new point: the baseline does not have it");
  }

  Comparison take(std::size_t points) {
    comparison_.points = static_cast<int>(points);
    return std::move(comparison_);
  }

 private:
  void begin(const std::string& name, const ComparedPoint& before, const ComparedPoint& now) {
    name_ = name;
    before_ = &before.row;
    now_ = &now.row;
    if (!now.fault.empty()) worse(Difference::Kind::invalid, now.fault, {});
  }

  /// `optimal (exactly optimal) -> feasible (...); energy 2 J -> 1 J (-50.0000 %); ...`.
  static std::string in_a_line(const std::vector<ChangedFigure>& figures) {
    std::string text = fmt::format("{} -> {}", figures.front().before, figures.front().now);
    for (std::size_t i = 1; i < figures.size(); ++i) text += "; " + figure_text(figures[i]);
    return text;
  }

  /// Proofs are about one order of the nodes.
  bool same_order() const { return before_->problem.order_sha256 == now_->problem.order_sha256; }

  /// What stands behind figures that are in different orders.
  std::string order_text() const { return same_order() ? "" : "; other order of the nodes"; }

  void compare_schedules() {
    const ChangedFigure figure = status_change("schedule", *before_, *now_);
    const std::string change = fmt::format("{} -> {}{}", figure.before, figure.now, order_text());
    if (before_->summary && !now_->summary) worse(Difference::Kind::schedule, change, {figure});
    if (!before_->summary && now_->summary) better(Difference::Kind::schedule, change, {figure});
  }

  /// For every objective: a user who sets a limit for a figure wants it held.
  void check_limits() {
    if (!before_->summary || !now_->summary) return;
    for (const Excess& excess : excesses(*before_, *now_, comparison_.limits)) {
      worse(excess.kind, excess.message + order_text(), {excess.figure});
    }
  }

  /// The energies of two schedules say nothing unless what was minimised before is equal.
  void compare_figures() {
    if (!before_->summary || !now_->summary) return;
    const Summary& before = *before_->summary;
    const Summary& now = *now_->summary;
    const IncreaseLimits& limits = comparison_.limits;
    const Objective objective = now_->problem.objective;
    if (objective == Objective::runtime &&
        differ(Difference::Kind::runtime, before.runtime_seconds, now.runtime_seconds,
               limits.runtime.has_value(),
               runtime_change(before.runtime_seconds, now.runtime_seconds))) {
      return;
    }
    if (objective == Objective::ram &&
        differ(Difference::Kind::ram, static_cast<double>(before.peak_ram_bytes),
               static_cast<double>(now.peak_ram_bytes), limits.peak_ram.has_value(),
               peak_ram_change(before.peak_ram_bytes, now.peak_ram_bytes))) {
      return;
    }
    differ(Difference::Kind::energy, before.energy_joules, now.energy_joules,
           limits.energy.has_value(), energy_change(before.energy_joules, now.energy_joules));
  }

  /// Reports two figures that differ by more than the tolerance, but no rise if it has a limit of
  /// its own. True if they differ, as what comes after the objective is then not compared.
  bool differ(Difference::Kind kind, double before, double now, bool limited,
              const ChangedFigure& figure) {
    const bool rises = now > before * (1 + comparison_.rel_tol);
    const bool falls = now < before * (1 - comparison_.rel_tol);
    if (rises && !limited) {
      worse(kind,
            comparison_.rel_tol > 0
                ? fmt::format("{}, more than the {:g} % allowed{}", figure_text(figure),
                              100 * comparison_.rel_tol, order_text())
                : fmt::format("{}, and no rise is allowed{}", figure_text(figure), order_text()),
            {figure});
    }
    if (falls) better(kind, figure_text(figure) + order_text(), {figure});
    return rises || falls;
  }

  /// A proof of a wider gap than the baseline was asked for is not as good as the baseline's.
  void compare_proofs() {
    if (before_->summary.has_value() != now_->summary.has_value() || !same_order()) return;
    // One is about the given order, the other about all of them.
    if (before_->given_order != now_->given_order) return;
    constexpr double kRounding = 1e-9;
    const bool as_good =
        proven(*now_) &&
        (!now_->summary || now_->summary->gap <= before_->requested_gap + kRounding);
    const ChangedFigure figure = status_change("proof", *before_, *now_);
    const std::string change = fmt::format("{} -> {}", figure.before, figure.now);
    if (proven(*before_) && !as_good) {
      worse(Difference::Kind::proof, "proof lost: " + change, {figure});
    }
    if (!proven(*before_) && proven(*now_)) better(Difference::Kind::proof, change, {figure});
  }

  void worse(Difference::Kind kind, const std::string& message,
             std::vector<ChangedFigure> figures) {
    add(comparison_.regressions, kind, message, std::move(figures));
  }

  void better(Difference::Kind kind, const std::string& message,
              std::vector<ChangedFigure> figures) {
    add(comparison_.improvements, kind, message, std::move(figures));
  }

  void add(std::vector<Difference>& list, Difference::Kind kind, const std::string& message,
           std::vector<ChangedFigure> figures) {
    list.push_back({.kind = kind,
                    .point = name_,
                    .message = message,
                    .figures = std::move(figures),
                    .baseline = before_->summary,
                    .fresh = now_->summary});
  }

  static void add_without_figures(std::vector<Difference>& list, Difference::Kind kind,
                                  const std::string& name, const std::string& message) {
    list.push_back({.kind = kind, .point = name, .message = message});
  }

  OnChangedGraph on_changed_graph_;
  Comparison comparison_;
  std::string name_;
  const SweepRow* before_ = nullptr;
  const SweepRow* now_ = nullptr;
};

/// A changed graph comes first: its digest would make every other difference of the two pointless.
void compare_points(const std::string& name, const ComparedPoint& before, const ComparedPoint& now,
                    Comparer& comparer) {
  if (graph_changed(before.row, now.row)) {
    comparer.add_changed_graph(name, before, now);
  } else if (const std::string difference = problem_difference(before.row.problem, now.row.problem);
             !difference.empty()) {
    comparer.add_other_problem(name, difference);
  } else {
    comparer.add(name, before, now);
  }
}

/// What all points have in common would only make their names longer.
NameParts differing_parts(const ComparedResult& baseline, const ComparedResult& fresh) {
  NameParts parts{.techniques = false, .runtime = false, .paging_time = false};
  const RowProblem* first = nullptr;
  for (const ComparedResult* result : {&baseline, &fresh}) {
    for (const ComparedPoint& point : result->points) {
      const RowProblem& problem = point.row.problem;
      if (first == nullptr) first = &problem;
      parts.techniques |= problem.limits.techniques != first->limits.techniques;
      parts.runtime |= problem.runtime_budget_ratio != first->runtime_budget_ratio;
      parts.paging_time |= problem.limits.paging_time != first->limits.paging_time;
    }
  }
  return parts;
}

void compare_sweeps(const ComparedResult& baseline, const ComparedResult& fresh,
                    Comparer& comparer) {
  const Pairs pairs(baseline, fresh);
  const NameParts parts = differing_parts(baseline, fresh);
  for (const ComparedPoint& point : baseline.points) {
    const ComparedPoint* other = pairs.partner_of(point);
    if (other == nullptr) {
      comparer.add_missing(point_name(point.row, parts));
    } else {
      compare_points(point_name(point.row, parts), point, *other, comparer);
    }
  }
  for (const ComparedPoint* point : pairs.new_points()) {
    comparer.add_new(point_name(point->row, parts));
  }
}

void compare_schedules(const ComparedResult& baseline, const ComparedResult& fresh,
                       Comparer& comparer) {
  const ComparedPoint& before = baseline.points.front();
  const ComparedPoint& now = fresh.points.front();
  // A document without a schedule does not say what it is about.
  const bool both = baseline.has_problem && fresh.has_problem;
  const std::string name = baseline.has_problem ? point_name(before.row)
                           : fresh.has_problem  ? point_name(now.row)
                                                : std::string("the only point");
  if (both) {
    compare_points(name, before, now, comparer);
  } else {
    comparer.add(name, before, now);
  }
}

}  // namespace

// A schedule file is a sweep of one point, but it may be without a problem: a solve that failed
// before its model was read says nothing of it.
Comparison compare(const ComparedResult& baseline, const ComparedResult& fresh, double rel_tol,
                   OnChangedGraph on_changed_graph, const IncreaseLimits& limits) {
  if (baseline.is_sweep != fresh.is_sweep) {
    throw InputError(baseline.is_sweep ? "the baseline is a sweep, the new result is a schedule "
                                         "file; expected two of a kind"
                                       : "the baseline is a schedule file, the new result is a "
                                         "sweep; expected two of a kind");
  }
  Comparer comparer(rel_tol, on_changed_graph, limits);
  if (baseline.is_sweep) {
    compare_sweeps(baseline, fresh, comparer);
  } else {
    compare_schedules(baseline, fresh, comparer);
  }
  return comparer.take(baseline.points.size());
}

}  // namespace poet
