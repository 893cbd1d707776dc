#include <fmt/format.h>

#include "ablation.hpp"
#include "options.hpp"
#include "poet/solver_features.hpp"
#include "session.hpp"

namespace poet::bench {
namespace {

void add_without(std::string_view technique, const Instance& instance, Conditions conditions,
                 Log& log) {
  disable(conditions.solve.settings.features, technique);
  log.add(instance, std::string(technique), [&] {
    Measurement m = measure(instance, conditions);
    m.disabled = technique;
    return m;
  });
}

}  // namespace

int run_ablation(const Options& options) {
  const Conditions conditions = conditions_of(options, options.quick ? 8 : 60);
  Log log(options, conditions);
  for (const Instance& instance : chosen_instances(options)) {
    log.add(instance, "", [&] { return measure(instance, conditions); });
    // What is settled without a model tells nothing of how models are solved.
    if (log.measurements().back().settled() && log.measurements().back().figures.rows == 0)
      continue;
    for (const FeatureSwitch& technique : kFeatureSwitches) {
      add_without(technique.name, instance, conditions, log);
    }
  }
  const auto& all = log.measurements();
  say(fmt::format("\n{}", ablation_table(all)));
  return all_ok(all) && contradictions(all).empty() ? 0 : 1;
}

}  // namespace poet::bench
