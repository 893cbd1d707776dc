#include "poet/solver_features.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {

SolverFeatures no_features() {
  SolverFeatures none;
  for (const FeatureSwitch& feature : kFeatureSwitches) none.*feature.flag = false;
  return none;
}

void disable(SolverFeatures& features, std::string_view name) {
  if (name == "coarse") name = "glance";
  if (name == "sub-rows" || name == "row-rounding") name = "knapsack-cuts";
  const auto found =
      std::find_if(kFeatureSwitches.begin(), kFeatureSwitches.end(),
                   [&](const FeatureSwitch& feature) { return feature.name == name; });
  if (found == kFeatureSwitches.end()) {
    std::vector<std::string_view> names;
    names.reserve(kFeatureSwitches.size());
    for (const FeatureSwitch& feature : kFeatureSwitches) names.push_back(feature.name);
    throw InputError(
        fmt::format("found '{}'; expected one of {}", printable(name), fmt::join(names, ", ")));
  }
  features.*found->flag = false;
}

std::string disabled_features(const SolverFeatures& features) {
  std::vector<std::string_view> names;
  for (const FeatureSwitch& feature : kFeatureSwitches) {
    if (!(features.*feature.flag)) names.push_back(feature.name);
  }
  return fmt::format("{}", fmt::join(names, ","));
}

SolverFeatures features_without(std::string_view names) {
  SolverFeatures features;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    disable(features, names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return features;
}

}  // namespace poet
