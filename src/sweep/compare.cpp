#include "sweep/compare.hpp"

#include <map>
#include <type_traits>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "report/summary.hpp"

namespace poet {
namespace {

std::string compared_name(const SweepRow& row) {
  return point_name(row.problem, row.ram_budget_bytes);
}

/// What two points have in common if one can stand for the other.
std::string point_key(const SweepRow& row) {
  const RowProblem& problem = row.problem;
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", problem.model, problem.platform.value_or(""),
                     problem.batch_size, problem.mem_power_scale, problem.techniques,
                     problem.runtime_budget_ratio, row.ram_budget_bytes);
}

/// What is proven about a point: that its schedule is within the gap, or that there is none.
bool proven(const SweepRow& row) {
  return row.status == SweepRow::Status::optimal || row.status == SweepRow::Status::infeasible;
}

std::string status_text(const SweepRow& row) {
  std::string text(name_of(row.status));
  if (row.summary) text += fmt::format(" ({})", gap_text(row.summary->gap));
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
  explicit Comparer(double rel_tol) { comparison_.rel_tol = rel_tol; }

  /// Two points that stand for the same.
  void add(const std::string& name, const ComparedPoint& before, const ComparedPoint& now) {
    name_ = name;
    before_ = &before.row;
    now_ = &now.row;
    if (!now.fault.empty()) worse(Difference::Kind::invalid, now.fault);
    compare_schedules();
    compare_energies();
    compare_proofs();
  }

  void add_other_problem(const std::string& name, const std::string& difference) {
    add_without_figures(comparison_.regressions, Difference::Kind::problem, name,
                        "not comparable: " + difference);
  }

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
  void compare_schedules() {
    const std::string change = fmt::format("{} -> {}", status_text(*before_), status_text(*now_));
    if (before_->summary && !now_->summary) worse(Difference::Kind::schedule, change);
    if (!before_->summary && now_->summary) better(Difference::Kind::schedule, change);
  }

  void compare_energies() {
    if (!before_->summary || !now_->summary) return;
    const Joules before = before_->summary->energy_joules;
    const Joules now = now_->summary->energy_joules;
    if (now > before * (1 + comparison_.rel_tol)) {
      worse(Difference::Kind::energy,
            comparison_.rel_tol > 0
                ? fmt::format("{}, more than the {:g} % allowed", energies(before, now),
                              100 * comparison_.rel_tol)
                : fmt::format("{}, and no rise is allowed", energies(before, now)));
    }
    if (now < before * (1 - comparison_.rel_tol)) {
      better(Difference::Kind::energy, energies(before, now));
    }
  }

  /// A proof of a wider gap than the baseline was asked for is not as good as the baseline's.
  void compare_proofs() {
    if (before_->summary.has_value() != now_->summary.has_value()) return;
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

  Comparison comparison_;
  std::string name_;
  const SweepRow* before_ = nullptr;
  const SweepRow* now_ = nullptr;
};

using Index = std::map<std::string, const ComparedPoint*>;

Index index_of(const ComparedResult& result, const char* which) {
  Index index;
  for (const ComparedPoint& point : result.points) {
    if (!index.emplace(point_key(point.row), &point).second) {
      throw InputError(which, fmt::format("found the point '{}' twice; expected each once",
                                          compared_name(point.row)));
    }
  }
  return index;
}

/// A point of the same model and platform, where their graph has changed: a budget that is a share
/// of something is then at another place, so that no point has the same key.
const ComparedPoint* changed_subject(const ComparedResult& fresh, const SweepRow& row) {
  const ComparedPoint* changed = nullptr;
  for (const ComparedPoint& point : fresh.points) {
    const RowProblem& problem = point.row.problem;
    if (problem.model != row.problem.model || problem.platform != row.problem.platform ||
        problem.batch_size != row.problem.batch_size) {
      continue;
    }
    if (problem.graph_sha256 == row.problem.graph_sha256) return nullptr;
    changed = &point;
  }
  return changed;
}

void compare_sweeps(const ComparedResult& baseline, const ComparedResult& fresh,
                    Comparer& comparer) {
  const Index before = index_of(baseline, "the baseline");
  const Index now = index_of(fresh, "the new result");
  for (const ComparedPoint& point : baseline.points) {
    const std::string name = compared_name(point.row);
    const auto found = now.find(point_key(point.row));
    const ComparedPoint* other =
        found != now.end() ? found->second : changed_subject(fresh, point.row);
    if (other == nullptr) {
      comparer.add_missing(name);
    } else if (const std::string difference = problem_difference(point.row, other->row);
               !difference.empty()) {
      comparer.add_other_problem(name, found != now.end()
                                           ? difference
                                           : "the graph of this model and platform has changed");
    } else {
      comparer.add(name, point, *other);
    }
  }
  for (const ComparedPoint& point : fresh.points) {
    if (!before.contains(point_key(point.row))) comparer.add_new(compared_name(point.row));
  }
}

void compare_schedules(const ComparedResult& baseline, const ComparedResult& fresh,
                       Comparer& comparer) {
  const ComparedPoint& before = baseline.points.front();
  const ComparedPoint& now = fresh.points.front();
  // A document without a schedule does not say what it is about.
  const bool both = baseline.has_problem && fresh.has_problem;
  const std::string name = baseline.has_problem ? compared_name(before.row)
                           : fresh.has_problem  ? compared_name(now.row)
                                                : std::string("the only point");
  const std::string difference = both ? problem_difference(before.row, now.row) : std::string();
  if (difference.empty()) {
    comparer.add(name, before, now);
  } else {
    comparer.add_other_problem(name, difference);
  }
}

}  // namespace

std::string problem_difference(const SweepRow& baseline, const SweepRow& fresh) {
  std::string difference;
  const auto check = [&](const char* what, const auto& before, const auto& now) {
    if (!difference.empty() || before == now) return;
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(now)>>) {
      const auto [was, is] = distinct(before, now);
      difference = fmt::format("{} was {}, is {}", what, was, is);
    } else {
      difference = fmt::format("{} was {}, is {}", what, before, now);
    }
  };
  const RowProblem& before = baseline.problem;
  const RowProblem& now = fresh.problem;
  check("the model", before.model, now.model);
  check("the platform", before.platform.value_or("none"), now.platform.value_or("none"));
  check("the batch size", before.batch_size, now.batch_size);
  check("the memory power scale", before.mem_power_scale, now.mem_power_scale);
  check("the set of techniques", before.techniques, now.techniques);
  check("the RAM budget in bytes", baseline.ram_budget_bytes, fresh.ram_budget_bytes);
  check("the graph's digest", before.graph_sha256.substr(0, 12), now.graph_sha256.substr(0, 12));
  check("the runtime budget in seconds", before.runtime_budget_seconds, now.runtime_budget_seconds);
  return difference;
}

std::string row_difference(const SweepRow& row, const ScheduleFile& report) {
  const SweepRow found = row_of(report);
  const std::string difference = problem_difference(row, found);
  if (!difference.empty()) return "is another one's: " + difference;
  const auto [is, stated] =
      distinct(report.summary.energy_joules, row.summary ? row.summary->energy_joules : 0);
  if (row.summary && agree(report.summary.energy_joules, row.summary->energy_joules)) return {};
  return fmt::format("needs {} J, its row says {} J", is, stated);
}

Comparison compare(const ComparedResult& baseline, const ComparedResult& fresh, double rel_tol) {
  if (baseline.is_sweep != fresh.is_sweep) {
    throw InputError(baseline.is_sweep ? "the baseline is a sweep, the new result is a schedule "
                                         "file; expected two of a kind"
                                       : "the baseline is a schedule file, the new result is a "
                                         "sweep; expected two of a kind");
  }
  Comparer comparer(rel_tol);
  if (baseline.is_sweep) {
    compare_sweeps(baseline, fresh, comparer);
  } else {
    compare_schedules(baseline, fresh, comparer);
  }
  return comparer.take(baseline.points.size());
}

}  // namespace poet
