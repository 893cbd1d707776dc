#include "model/device_memory_terms.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"

namespace poet {
namespace {

/// What makes each term smaller, in their order.
constexpr std::array<std::string_view, 4> kCures{
    "layers that are not trained (\"trainable\": false in the model) on a platform that keeps "
    "their parameters in flash (\"flash_bytes\")",
    "\"update\": \"fused\" in the model, which keeps no gradients of parameters",
    "\"optimizer\": \"sgd\" in the model, which keeps nothing for a parameter",
    "a smaller \"reserve_bytes\" in the platform"};

}  // namespace

std::array<std::pair<std::string_view, Bytes>, 4> terms_of(const DeviceMemory& memory) {
  return {{{"parameters", memory.parameters_bytes},
           {"accumulated gradients", memory.gradients_bytes},
           {"optimizer state", memory.optimizer_bytes},
           {"reserve", memory.reserve_bytes}}};
}

std::string no_room_reason(const DeviceMemory& memory, Bytes all, const std::string& whose,
                           const std::string& or_else) {
  const auto terms = terms_of(memory);
  const auto largest = std::max_element(
      terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format(
      "training keeps {} bytes in RAM beside tensors, {} of them {}; that is no less than the {} "
      "bytes of {}, so no schedule fits; what helps: {}, or {}",
      memory.ram_bytes(), largest->second, largest->first, all, whose,
      kCures[largest - terms.begin()], or_else);
}

std::string no_room_in_chip(const Model& model, const Platform& platform) {
  return no_room_reason(device_memory(model, &platform), *platform.ram_bytes,
                        fmt::format("platform '{}'", printable(platform.name)),
                        "a platform with more RAM");
}

}  // namespace poet
