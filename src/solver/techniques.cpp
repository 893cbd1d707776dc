#include "poet/techniques.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/text/shown.hpp"
#include "poet/error.hpp"

namespace poet {

Techniques no_techniques() {
  Techniques none;
  for (const TechniqueSwitch& technique : kTechniqueSwitches) none.*technique.flag = false;
  return none;
}

void disable(Techniques& techniques, std::string_view name) {
  const auto found =
      std::find_if(kTechniqueSwitches.begin(), kTechniqueSwitches.end(),
                   [&](const TechniqueSwitch& technique) { return technique.name == name; });
  if (found == kTechniqueSwitches.end()) {
    std::vector<std::string_view> names;
    names.reserve(kTechniqueSwitches.size());
    for (const TechniqueSwitch& technique : kTechniqueSwitches) names.push_back(technique.name);
    throw InputError(
        fmt::format("found '{}'; expected one of {}", shown(name), fmt::join(names, ", ")));
  }
  techniques.*found->flag = false;
}

}  // namespace poet
