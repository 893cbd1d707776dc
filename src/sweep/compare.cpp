// What became worse or better between two results. Only what a schedule is asked for counts: a
// proof is compared as it stands, time and work of the solver are not, as they differ between
// machines. If a graph has changed, figures before and after are facts about two problems, and are
// listed as such.
//
// A changed graph needs a rule of its own. Its points have other budgets where these are shares, so
// they are paired by their place in the grid, and neither energy can be called better. Only a
// schedule that is lost counts: however the model is now, it could be trained before.
//
// Energies are compared relative to the baseline and with a tolerance, as a solve ends within its
// gap and may end there with another schedule in another build. A proof is compared with the gap
// that the baseline was asked for, so a run that was asked for less does not pass as one that
// proved as much.

#include "sweep/compare.hpp"

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "sweep/pairs.hpp"

namespace poet {
namespace {

/// What is proven about a point: that its schedule is within the gap, or that there is none.
bool proven(const SweepRow& row) {
  return row.status == SweepRow::Status::optimal || row.status == SweepRow::Status::infeasible;
}

std::string status_text(const SweepRow& row) {
  std::string text(name_of(row.status));
  if (row.summary) text += fmt::format(" ({})", gap_text(row.summary->gap, row.summary->gap_extra));
  if (!row.summary && !row.reason.empty()) text += fmt::format(" ({})", row.reason);
  return text;
}

std::string energies(Joules before, Joules now) {
  const std::string change =
      before > 0 ? change_text(now / before - 1, 4) : std::string("from nothing");
  const auto [was, is] = distinct(before, now);
  return fmt::format("energy {} J -> {} J ({})", was, is, change);
}

class Comparer {
 public:
  Comparer(double rel_tol, OnChangedGraph on_changed_graph) : on_changed_graph_(on_changed_graph) {
    comparison_.rel_tol = rel_tol;
  }

  /// Two points that stand for the same.
  void add(const std::string& name, const ComparedPoint& before, const ComparedPoint& now) {
    begin(name, before, now);
    compare_schedules();
    compare_figures();
    compare_proofs();
  }

  /// Two points that would stand for the same if their graph had not changed.
  void add_changed_graph(const std::string& name, const ComparedPoint& before,
                         const ComparedPoint& now) {
    begin(name, before, now);
    const bool fails = on_changed_graph_ == OnChangedGraph::fail;
    add(fails ? comparison_.regressions : comparison_.graph_changes, Difference::Kind::graph,
        "graph changed: " + change_of_figures());
    if (fails || !before_->summary || now_->summary) return;
    worse(Difference::Kind::schedule,
          fmt::format("graph changed: {} -> {}", status_text(*before_), status_text(*now_)));
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
    if (!now.fault.empty()) worse(Difference::Kind::invalid, now.fault);
  }

  std::string change_of_figures() const {
    std::string text = fmt::format("{} -> {}", status_text(*before_), status_text(*now_));
    if (before_->problem.limits.ram_budget_bytes != now_->problem.limits.ram_budget_bytes) {
      text += fmt::format("; RAM budget {} -> {} bytes", before_->problem.limits.ram_budget_bytes,
                          now_->problem.limits.ram_budget_bytes);
    }
    if (before_->summary && now_->summary) {
      text += "; " + energies(before_->summary->energy_joules, now_->summary->energy_joules);
    } else if (before_->summary || now_->summary) {
      const auto energy = [](const SweepRow& row) {
        return row.summary ? format_joules(row.summary->energy_joules) : std::string("none");
      };
      text += fmt::format("; energy {} -> {}", energy(*before_), energy(*now_));
    }
    const auto peak = [](const SweepRow& row) {
      return row.summary ? fmt::format("{}", row.summary->peak_ram_bytes) : std::string("none");
    };
    return text + fmt::format("; peak RAM {} -> {} bytes", peak(*before_), peak(*now_));
  }

  /// Proofs are about one order of the nodes.
  bool same_order() const { return before_->problem.order_sha256 == now_->problem.order_sha256; }

  /// What stands behind figures that are in different orders.
  std::string order_text() const { return same_order() ? "" : "; other order of the nodes"; }

  void compare_schedules() {
    const std::string change =
        fmt::format("{} -> {}{}", status_text(*before_), status_text(*now_), order_text());
    if (before_->summary && !now_->summary) worse(Difference::Kind::schedule, change);
    if (!before_->summary && now_->summary) better(Difference::Kind::schedule, change);
  }

  /// The energies of two schedules say nothing unless what was minimised before is equal.
  void compare_figures() {
    if (!before_->summary || !now_->summary) return;
    const Summary& before = *before_->summary;
    const Summary& now = *now_->summary;
    const Objective objective = now_->problem.objective;
    if (objective == Objective::runtime && differ(Difference::Kind::runtime, "runtime", "s",
                                                  before.runtime_seconds, now.runtime_seconds)) {
      return;
    }
    if (objective == Objective::ram && differ(Difference::Kind::ram, "peak RAM", "bytes",
                                              static_cast<double>(before.peak_ram_bytes),
                                              static_cast<double>(now.peak_ram_bytes))) {
      return;
    }
    compare_energies(before.energy_joules, now.energy_joules);
  }

  /// Reports two figures that differ by more than the tolerance.
  /// True if they differ, as what comes after the objective is then not compared.
  bool differ(Difference::Kind kind, const char* what, const char* unit, double before,
              double now) {
    const auto [was, is] = distinct(before, now);
    const std::string text =
        fmt::format("{} {} {} -> {} {}{}", what, was, unit, is, unit, order_text());
    const bool rises = now > before * (1 + comparison_.rel_tol);
    const bool falls = now < before * (1 - comparison_.rel_tol);
    if (rises) worse(kind, text);
    if (falls) better(kind, text);
    return rises || falls;
  }

  void compare_energies(Joules before, Joules now) {
    if (now > before * (1 + comparison_.rel_tol)) {
      worse(Difference::Kind::energy,
            comparison_.rel_tol > 0
                ? fmt::format("{}, more than the {:g} % allowed{}", energies(before, now),
                              100 * comparison_.rel_tol, order_text())
                : fmt::format("{}, and no rise is allowed{}", energies(before, now), order_text()));
    }
    if (now < before * (1 - comparison_.rel_tol)) {
      better(Difference::Kind::energy, energies(before, now) + order_text());
    }
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
    const std::string change = fmt::format("{} -> {}", status_text(*before_), status_text(*now_));
    if (proven(*before_) && !as_good) worse(Difference::Kind::proof, "proof lost: " + change);
    if (!proven(*before_) && proven(*now_)) better(Difference::Kind::proof, change);
  }

  void worse(Difference::Kind kind, const std::string& message) {
    add(comparison_.regressions, kind, message);
  }

  void better(Difference::Kind kind, const std::string& message) {
    add(comparison_.improvements, kind, message);
  }

  void add(std::vector<Difference>& list, Difference::Kind kind, const std::string& message) {
    Difference difference{.kind = kind, .point = name_, .message = message};
    if (before_->summary) difference.baseline_joules = before_->summary->energy_joules;
    if (now_->summary) difference.fresh_joules = now_->summary->energy_joules;
    list.push_back(std::move(difference));
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

void compare_sweeps(const ComparedResult& baseline, const ComparedResult& fresh,
                    Comparer& comparer) {
  const Pairs pairs(baseline, fresh);
  for (const ComparedPoint& point : baseline.points) {
    const ComparedPoint* other = pairs.partner_of(point);
    if (other == nullptr) {
      comparer.add_missing(point_name(point.row));
    } else {
      compare_points(point_name(point.row), point, *other, comparer);
    }
  }
  for (const ComparedPoint* point : pairs.new_points()) {
    comparer.add_new(point_name(point->row));
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
                   OnChangedGraph on_changed_graph) {
  if (baseline.is_sweep != fresh.is_sweep) {
    throw InputError(baseline.is_sweep ? "the baseline is a sweep, the new result is a schedule "
                                         "file; expected two of a kind"
                                       : "the baseline is a schedule file, the new result is a "
                                         "sweep; expected two of a kind");
  }
  Comparer comparer(rel_tol, on_changed_graph);
  if (baseline.is_sweep) {
    compare_sweeps(baseline, fresh, comparer);
  } else {
    compare_schedules(baseline, fresh, comparer);
  }
  return comparer.take(baseline.points.size());
}

}  // namespace poet
