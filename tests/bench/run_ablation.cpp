#include <algorithm>

#include <fmt/format.h>

#include "ablation.hpp"
#include "poet/solver_features.hpp"
#include "runs.hpp"

namespace poet::bench {
namespace {

constexpr auto kLayout = "{:<34} {:>8} {:>8} {:>11} {:>11} {:>9}  {:<10} {}";

std::string row(const Measurement& m) {
  const Figures& f = m.figures;
  const auto number = [&](double value, int digits) {
    return f.has_schedule ? fmt::format("{:.{}g}", value, digits) : "-";
  };
  return fmt::format(kLayout, m.problem, f.rows, fmt::format("{:.2f}", f.wall_seconds),
                     number(f.energy_joules, 7), number(f.extra_joules(), 6),
                     number(100 * f.gap(), 4), m.outcome(),
                     m.disabled.empty() ? m.failure : "without " + m.disabled + " " + m.failure);
}

}  // namespace

int run_ablation(const std::vector<std::string>& names, const Conditions& conditions) {
  std::vector<Measurement> all;
  const auto add = [&](Measurement m) {
    say(row(m));
    all.push_back(std::move(m));
  };
  say(fmt::format(kLayout, "problem", "rows", "wall s", "energy J", "extra J", "gap %", "status",
                  ""));
  for (const std::string& name : names) {
    add(measure(name, conditions));
    // What is settled without a model tells nothing of how models are solved.
    if (all.back().settled() && all.back().figures.rows == 0) continue;
    for (const FeatureSwitch& technique : kFeatureSwitches) {
      Conditions without = conditions;
      disable(without.solve.settings.features, technique.name);
      Measurement m = measure(name, without);
      m.disabled = technique.name;
      add(std::move(m));
    }
  }
  say("\n" + ablation_table(all));
  return std::ranges::all_of(all, &Measurement::ok) && contradictions(all).empty() ? 0 : 1;
}

}  // namespace poet::bench
