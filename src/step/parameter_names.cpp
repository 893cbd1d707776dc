#include "step/parameter_names.hpp"

#include <array>

#include <fmt/format.h>

namespace poet {

std::vector<std::string> parameter_names(const DraftLayer& owner, const DraftParameters& from) {
  const std::string& layer = owner.spec->name;
  if (owner.exact.is_parameter) return {layer};
  const char* const ending = from.name == layer + ".input"    ? "_ih"
                             : from.name == layer + ".hidden" ? "_hh"
                                                              : "";
  constexpr std::array kTensors = {"weight", "bias"};
  std::vector<std::string> names;
  for (std::size_t t = 0; t < from.shapes.size(); ++t) {
    names.push_back(fmt::format("{}.{}{}", layer, kTensors.at(t), ending));
  }
  return names;
}

}  // namespace poet
