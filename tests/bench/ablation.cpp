#include "ablation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "poet/solver_features.hpp"

namespace poet::bench {
namespace {

/// Measurements of one problem by what was off.
using Group = std::map<std::string, const Measurement*>;

/// In order of appearance.
std::vector<Group> by_problem(const std::vector<Measurement>& measurements) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> place;
  for (const Measurement& m : measurements) {
    const auto [at, is_new] = place.emplace(m.problem, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second][m.disabled] = &m;
  }
  return groups;
}

/// No time is taken for shorter than this, no gap for smaller: ratios of next to nothing tell
/// nothing.
constexpr Seconds kShortest = 0.01;
constexpr double kSmallest = 1e-6;

Seconds time_of(const Measurement& m) {
  const bool limited = !m.settled() && m.time_limit_seconds > 0;
  return std::max(limited ? m.time_limit_seconds : m.figures.wall_seconds, kShortest);
}

double gap_of(const Measurement& m) {
  const double floor = std::max(m.gap_asked, kSmallest);
  if (m.settled()) return floor;
  return m.figures.has_schedule ? std::max(m.figures.gap(), floor) : 1;
}

TechniqueEffect effect_of(const std::string& technique, const std::vector<Group>& groups) {
  TechniqueEffect effect{.technique = technique};
  double log_time = 0;
  double log_gap = 0;
  for (const Group& group : groups) {
    const auto with = group.find("");
    const auto without = group.find(technique);
    if (with == group.end() || without == group.end()) continue;
    const Measurement& on = *with->second;
    const Measurement& off = *without->second;
    if (!on.ok() || !off.ok()) continue;
    ++effect.problems;
    effect.proven_with += on.settled();
    effect.proven_without += off.settled();
    effect.has_unproven = effect.has_unproven || !on.settled() || !off.settled();
    log_time += std::log(time_of(on) / time_of(off));
    log_gap += std::log(gap_of(on) / gap_of(off));
  }
  if (effect.problems > 0) {
    effect.time_ratio = std::exp(log_time / effect.problems);
    effect.gap_ratio = std::exp(log_gap / effect.problems);
  }
  return effect;
}

std::string name_of(const Measurement& m) {
  return m.disabled.empty() ? "with everything" : "without " + m.disabled;
}

}  // namespace

std::vector<TechniqueEffect> technique_effects(const std::vector<Measurement>& measurements) {
  const std::vector<Group> groups = by_problem(measurements);
  std::vector<TechniqueEffect> effects;
  for (const FeatureSwitch& technique : kFeatureSwitches) {
    TechniqueEffect effect = effect_of(std::string(technique.name), groups);
    if (effect.problems > 0) effects.push_back(std::move(effect));
  }
  return effects;
}

std::vector<std::string> contradictions(const std::vector<Measurement>& measurements) {
  constexpr double kTolerance = 2e-9;  // two proofs, each with the solver's own
  std::vector<std::string> found;
  for (const Group& group : by_problem(measurements)) {
    for (const auto& [ignored, proof] : group) {
      if (!proof->ok()) continue;
      for (const auto& [also_ignored, answer] : group) {
        if (!answer->ok() || !answer->figures.has_schedule) continue;
        const bool too_high =
            proof->figures.bound_joules > answer->figures.energy_joules * (1 + kTolerance);
        if (!too_high && proof->figures.status != Status::infeasible) continue;
        found.push_back(fmt::format(
            "{}: {} J {}, but {} {}", proof->problem, answer->figures.energy_joules,
            name_of(*answer), too_high ? "the bound is higher" : "infeasible", name_of(*proof)));
      }
    }
  }
  return found;
}

std::string ablation_table(const std::vector<Measurement>& measurements) {
  constexpr auto kLayout = "{:<16} {:>8} {:>12} {:>15} {:>11} {:>10}\n";
  std::string text = fmt::format(kLayout, "technique", "problems", "proven with", "proven without",
                                 "time ratio", "gap ratio");
  for (const TechniqueEffect& effect : technique_effects(measurements)) {
    const std::string time =
        fmt::format("{:.3f}{}", effect.time_ratio, effect.has_unproven ? "*" : " ");
    text += fmt::format(kLayout, effect.technique, effect.problems, effect.proven_with,
                        effect.proven_without, time, fmt::format("{:.3f}", effect.gap_ratio));
  }
  text +=
      "ratios: with / without, geometric means; below 1 the technique helps\n"
      "*: some solve proved nothing and counts as its time limit\n";
  for (const std::string& what : contradictions(measurements)) {
    text += "CONTRADICTION: " + what + "\n";
  }
  return text;
}

}  // namespace poet::bench
