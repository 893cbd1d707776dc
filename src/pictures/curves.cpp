#include "pictures/curves.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace poet::plot {
namespace {

/// The traits that curves may differ in, in words for a legend.
struct Traits {
  std::string platform;
  std::string techniques;
  std::string runtime;
};

Traits traits_of(const CurvePoint& point) {
  return {.platform = point.platform.empty() ? "" : "on " + point.platform,
          .techniques = point.techniques,
          .runtime = fmt::format("runtime {:.4g}x", point.runtime_budget_ratio)};
}

/// Splits traits into those that all points share and those that curves differ in.
class Labels {
 public:
  explicit Labels(std::span<const CurvePoint> points) {
    for (const CurvePoint& point : points) {
      const Traits traits = traits_of(point);
      for (std::size_t k = 0; k < kMembers.size(); ++k) values_[k].insert(traits.*kMembers[k]);
    }
  }

  std::string common(const CurvePoint& any) const { return join(traits_of(any), false); }
  std::string own(const CurvePoint& point) const { return join(traits_of(point), true); }

 private:
  static constexpr std::array<std::string Traits::*, 3> kMembers{
      &Traits::platform, &Traits::techniques, &Traits::runtime};

  std::string join(const Traits& traits, bool differing) const {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < kMembers.size(); ++k) {
      const std::string& value = traits.*kMembers[k];
      if ((values_[k].size() > 1) == differing && !value.empty()) parts.push_back(value);
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  std::array<std::set<std::string>, 3> values_;
};

/// The entry that `matches`, or a new one at the end.
template <typename Entry, typename Matches>
Entry& find_or_add(std::vector<Entry>& entries, Matches matches, Entry fresh) {
  const auto found = std::find_if(entries.begin(), entries.end(), matches);
  return found != entries.end() ? *found : entries.emplace_back(std::move(fresh));
}

int style_of(std::vector<std::string>& labels, const std::string& label) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  const auto style = static_cast<int>(found - labels.begin());
  if (found == labels.end()) labels.push_back(label);
  return style;
}

}  // namespace

CurveSet make_curves(std::span<const CurvePoint> points) {
  CurveSet set;
  const Labels labels(points);
  if (!points.empty()) set.common = labels.common(points.front());
  for (const CurvePoint& point : points) {
    Panel& panel = find_or_add(
        set.panels, [&](const Panel& p) { return p.model == point.model; },
        Panel{.model = point.model});
    const int style = style_of(set.labels, labels.own(point));
    Curve& curve = find_or_add(
        panel.curves, [&](const Curve& c) { return c.style == style; }, Curve{.style = style});
    curve.points.push_back(point);
  }
  for (Panel& panel : set.panels) {
    for (Curve& curve : panel.curves) {
      std::stable_sort(curve.points.begin(), curve.points.end(),
                       [](const CurvePoint& a, const CurvePoint& b) {
                         return a.ram_budget_bytes < b.ram_budget_bytes;
                       });
    }
  }
  return set;
}

bool has_schedule(const CurvePoint& point) {
  return point.status == Status::optimal || point.status == Status::feasible;
}

double overhead(const CurvePoint& point, Joules energy) {
  constexpr double kMaxOverhead = 1e12;  // anything above is no measurement, or not a number
  const Joules baseline = point.baseline_energy_joules;
  return baseline > 0 ? std::min(energy / baseline - 1, kMaxOverhead) : 0;
}

Bytes largest_infeasible(const Curve& curve) {
  Bytes largest = 0;
  for (const CurvePoint& point : curve.points) {
    if (point.status == Status::infeasible) largest = std::max(largest, point.ram_budget_bytes);
  }
  return largest;
}

}  // namespace poet::plot
