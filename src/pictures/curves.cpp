// From rows to panels and curves. A picture has three ways to tell things apart: places, colours
// and dashes. Models and platforms are places, techniques colours, runtime budgets dashes; what is
// left has to go into a name. Which budget is the axis follows from the data: the one that varies.
// Everything keeps the order of its first appearance, so that a sweep is drawn in the order in
// which it was asked for.

#include "pictures/curves.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace poet::plot {
namespace {

std::string runtime_label(const CurvePoint& point) {
  return fmt::format("runtime {:.4g}x", point.runtime_budget_ratio);
}

std::string on_platform(const std::string& platform) {
  return platform.empty() ? "" : "on " + platform;
}

/// The entry that `matches`, or a new one at the end.
template <typename Entry, typename Matches>
Entry& find_or_add(std::vector<Entry>& entries, Matches matches, Entry fresh) {
  const auto found = std::find_if(entries.begin(), entries.end(), matches);
  return found != entries.end() ? *found : entries.emplace_back(std::move(fresh));
}

int index_of(std::vector<std::string>& words, const std::string& word) {
  const auto found = std::find(words.begin(), words.end(), word);
  const auto index = static_cast<int>(found - words.begin());
  if (found == words.end()) words.push_back(word);
  return index;
}

// Runtime only if RAM does not vary within any panel: RAM is what sweeps are usually over.
BudgetAxis choose_axis(std::span<const CurvePoint> points) {
  std::map<std::pair<std::string, std::string>, std::set<Bytes>> ram;
  std::set<std::string> runtimes;
  for (const CurvePoint& point : points) {
    ram[{point.model, point.platform}].insert(point.ram_budget_bytes);
    runtimes.insert(runtime_label(point));
  }
  const bool one_each = std::all_of(ram.begin(), ram.end(),
                                    [](const auto& panel) { return panel.second.size() == 1; });
  return one_each && runtimes.size() > 1 ? BudgetAxis::runtime : BudgetAxis::ram;
}

/// By budget, so that dashes have an order. Budgets that read alike are one.
std::vector<std::string> runtime_labels(std::span<const CurvePoint> points) {
  std::map<double, std::string> ascending;
  for (const CurvePoint& point : points) {
    ascending.emplace(point.runtime_budget_ratio, runtime_label(point));
  }
  std::vector<std::string> labels;
  for (const auto& [ratio, label] : ascending) index_of(labels, label);
  return labels;
}

std::string joined(std::vector<std::string> parts) {
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string common_traits(const CurveSet& set, std::span<const CurvePoint> points) {
  const auto only = [](const std::vector<std::string>& words) {
    return words.size() == 1 ? words.front() : std::string();
  };
  const bool one_ram = std::all_of(points.begin(), points.end(), [&](const CurvePoint& point) {
    return point.ram_budget_bytes == points.front().ram_budget_bytes;
  });
  const bool names_ram = set.axis == BudgetAxis::runtime && one_ram;
  return joined({on_platform(only(set.platforms)), only(set.techniques), only(set.runtimes),
                 names_ram ? "RAM budget " + format_bytes(points.front().ram_budget_bytes) : ""});
}

/// What the curves of a panel have in common and the curves of other panels do not.
std::string constant_in(const Panel& panel, const CurveSet& set) {
  const Curve& first = panel.curves.front();
  const auto same = [&](auto&& value) {
    return std::all_of(panel.curves.begin(), panel.curves.end(),
                       [&](const Curve& curve) { return value(curve) == value(first); });
  };
  const bool techniques = set.panels.size() > 1 && set.techniques.size() > 1 &&
                          same([](const Curve& curve) { return curve.techniques; });
  const bool runtime = set.panels.size() > 1 && set.runtimes.size() > 1 &&
                       same([](const Curve& curve) { return curve.runtime; });
  // Over the runtime budget, each panel has one RAM budget.
  const Bytes ram = first.points.front().ram_budget_bytes;
  const bool has_own_ram = set.axis == BudgetAxis::runtime &&
                           std::any_of(set.panels.begin(), set.panels.end(), [&](const Panel& p) {
                             return p.curves.front().points.front().ram_budget_bytes != ram;
                           });
  return joined({techniques ? set.techniques[first.techniques] : "",
                 runtime ? set.runtimes[first.runtime] : "",
                 has_own_ram ? "RAM budget " + format_bytes(ram) : ""});
}

void sort_points(CurveSet& set) {
  for (Panel& panel : set.panels) {
    for (Curve& curve : panel.curves) {
      std::stable_sort(curve.points.begin(), curve.points.end(),
                       [&](const CurvePoint& a, const CurvePoint& b) {
                         return budget(a, set.axis) < budget(b, set.axis);
                       });
    }
  }
}

std::string model_name(const RowProblem& problem) {
  if (problem.batch_size == 1) return problem.model;
  return fmt::format("{}, batch size {}", problem.model, problem.batch_size);
}

std::string platform_name(const RowProblem& problem) {
  std::string name = problem.platform.value_or("");
  if (problem.mem_power_scale == 1) return name;
  return fmt::format("{}{}memory power x{:.4g}", name, name.empty() ? "" : " with ",
                     problem.mem_power_scale);
}

/// Techniques with all that limits transfers.
std::string techniques_and_transfers(const RowProblem& problem) {
  const Limits& limits = problem.limits;
  std::string name = techniques_name(limits.techniques);
  if (limits.paging_time != PagingTime::free) {
    name += fmt::format(", {} transfers", name_of(limits.paging_time));
  }
  for_each_field(kStorageBudgetNouns, [&](const auto& budget) {
    const std::optional<Bytes>& bytes = budget.of(limits.storage);
    if (bytes) name += fmt::format(", {} of {}", format_bytes(*bytes), budget.key);
  });
  return name;
}

Status status_of(SweepRow::Status status) {
  return value_of<Status>(name_of(status)).value_or(Status::unknown);
}

}  // namespace

std::string techniques_name(const TechniqueSet& set) {
  if (set == kBothTechniques) return "remat + paging";
  if (set == kOnlyRemat) return "remat only";
  return set == kOnlyPaging ? "paging only" : "neither remat nor paging";
}

double budget(const CurvePoint& point, BudgetAxis axis) {
  return axis == BudgetAxis::runtime ? point.runtime_budget_ratio
                                     : static_cast<double>(point.ram_budget_bytes);
}

std::string CurveSet::title(const Panel& panel) const {
  std::string title = panel.model;
  if (platforms.size() > 1 && !panel.platform.empty()) title += " " + on_platform(panel.platform);
  return joined({title, constant_in(panel, *this)});
}

std::string CurveSet::label(const Curve& curve) const {
  return joined({techniques.size() > 1 ? techniques[curve.techniques] : "",
                 runtimes.size() > 1 ? runtimes[curve.runtime] : ""});
}

CurveSet make_curves(std::span<const CurvePoint> points, OverheadScale overheads) {
  CurveSet set{.axis = choose_axis(points), .overheads = overheads};
  set.runtimes =
      set.axis == BudgetAxis::runtime ? std::vector<std::string>{""} : runtime_labels(points);
  for (const CurvePoint& point : points) {
    index_of(set.models, point.model);
    index_of(set.platforms, point.platform);
    Panel& panel = find_or_add(
        set.panels,
        [&](const Panel& p) { return p.model == point.model && p.platform == point.platform; },
        Panel{.model = point.model, .platform = point.platform, .axis = set.axis});
    const int techniques = index_of(set.techniques, point.techniques);
    const int runtime =
        set.axis == BudgetAxis::runtime ? 0 : index_of(set.runtimes, runtime_label(point));
    Curve& curve = find_or_add(
        panel.curves,
        [&](const Curve& c) { return c.techniques == techniques && c.runtime == runtime; },
        Curve{.techniques = techniques, .runtime = runtime});
    curve.points.push_back(point);
  }
  sort_points(set);
  if (!points.empty()) set.common = common_traits(set, points);
  return set;
}

bool has_schedule(const CurvePoint& point) {
  return point.status == Status::optimal || point.status == Status::feasible;
}

double overhead(const CurvePoint& point, Joules energy) {
  constexpr double kMaxOverhead = 1e12;  // anything above is a mistake or NaN
  const Joules baseline = point.baseline_energy_joules;
  return baseline > 0 ? std::min(energy / baseline - 1, kMaxOverhead) : 0;
}

double largest_infeasible(const Curve& curve, BudgetAxis axis) {
  double largest = 0;
  for (const CurvePoint& point : curve.points) {
    if (point.status == Status::infeasible) largest = std::max(largest, budget(point, axis));
  }
  return largest;
}

// A curve without an infeasible point makes it 0: the area would say of that curve what nobody has
// proven.
double infeasible_for_all(const Panel& panel) {
  double least = std::numeric_limits<double>::max();
  for (const Curve& curve : panel.curves) {
    least = std::min(least, largest_infeasible(curve, panel.axis));
  }
  return least;
}

// Only here do pictures know rows; all else draws points, which a test can make by hand.
std::vector<CurvePoint> curve_points(std::span<const SweepRow> rows) {
  std::vector<CurvePoint> points;
  points.reserve(rows.size());
  for (const SweepRow& row : rows) {
    CurvePoint point{.model = model_name(row.problem),
                     .platform = platform_name(row.problem),
                     .techniques = techniques_and_transfers(row.problem),
                     .ram_budget_bytes = row.problem.limits.ram_budget_bytes,
                     .runtime_budget_ratio = row.problem.runtime_budget_ratio,
                     .status = status_of(row.status),
                     .baseline_energy_joules = row.baseline_energy_joules};
    if (row.summary) {
      point.energy_joules = row.summary->energy_joules;
      point.lower_bound_joules = row.summary->lower_bound_joules;
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace poet::plot
