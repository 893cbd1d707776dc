#include "app/beside_tensors.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/platform.hpp"

namespace poet::cli {
namespace {

using Term = std::pair<std::string_view, Bytes>;

std::array<Term, 4> terms_of(const DeviceMemory& memory) {
  return {{{"parameters", memory.parameters_bytes},
           {"accumulated gradients", memory.gradients_bytes},
           {"optimizer state", memory.optimizer_bytes},
           {"reserve", memory.reserve_bytes}}};
}

bool is_chip(const RamBudget& budget) {
  const NamedRam* const name = std::get_if<NamedRam>(&budget);
  return name != nullptr && *name == NamedRam::chip;
}

DeviceMemory memory_of(const Inputs& inputs) {
  return device_memory(inputs.model, inputs.platform_or_null());
}

}  // namespace

std::optional<std::string> no_room_for_tensors(const Options& options, const RamBudget& stated,
                                               Bytes ram_budget_bytes, const Inputs& inputs) {
  const bool chip = is_chip(stated);
  if (!chip && !options.count_parameters) return std::nullopt;
  const DeviceMemory memory = memory_of(inputs);
  const Bytes all = chip ? *inputs.platform->ram_bytes : ram_budget_bytes;
  if (memory.ram_bytes() < all) return std::nullopt;
  const auto terms = terms_of(memory);
  const Term largest = *std::max_element(
      terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.second < b.second; });
  return fmt::format(
      "training keeps {} bytes in RAM beside tensors, {} of them {}; that is no less than the {} "
      "bytes of {}, so no schedule fits",
      memory.ram_bytes(), largest.second, largest.first, all,
      chip ? fmt::format("platform '{}'", inputs.platform->name) : std::string("the RAM budget"));
}

Bytes ram_for_tensors(const Options& options, const RamBudget& stated, Bytes ram_budget_bytes,
                      const Inputs& inputs) {
  if (!options.count_parameters || is_chip(stated)) return ram_budget_bytes;
  return std::max<Bytes>(ram_budget_bytes - memory_of(inputs).ram_bytes(), 1);
}

void warn_about_chip(const Inputs& inputs, Bytes ram_for_tensors) {
  if (!inputs.platform || !inputs.platform->ram_bytes) return;
  const Bytes beside = memory_of(inputs).ram_bytes();
  if (ram_for_tensors + beside <= *inputs.platform->ram_bytes) return;
  spdlog::warn("the RAM budget of {}{} is more than the {} that platform '{}' has",
               format_bytes(ram_for_tensors),
               beside > 0 ? fmt::format(", with {} of parameters and the like beside the tensors,",
                                        format_bytes(beside))
                          : std::string(),
               format_bytes(*inputs.platform->ram_bytes), inputs.platform->name);
}

void print_beside_tensors(const Inputs& inputs) {
  std::string text;
  for (const auto& [name, bytes] : terms_of(memory_of(inputs))) {
    if (bytes == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, format_bytes(bytes));
  }
  if (!text.empty()) spdlog::info("in RAM beside the tensors: {}", text);
}

}  // namespace poet::cli
