#include "app/beside_tensors.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "model/device_memory_terms.hpp"
#include "poet/platform.hpp"

namespace poet::cli {
namespace {

bool is_chip(const RamBudget& budget) {
  const NamedRam* const name = std::get_if<NamedRam>(&budget);
  return name != nullptr && *name == NamedRam::chip;
}

/// Whether the budget holds more than tensors. What `min` and `chip` come to is for tensors
/// already: the search for the one knows nothing else, and the other leaves the rest out.
bool counts(const Options& options, const RamBudget& stated) {
  return options.count_parameters && !std::holds_alternative<NamedRam>(stated);
}

DeviceMemory memory_of(const Inputs& inputs) {
  return device_memory(inputs.model, inputs.platform_or_null());
}

}  // namespace

std::optional<std::string> no_room_for_tensors(const Options& options, const RamBudget& stated,
                                               Bytes ram_budget_bytes, const Inputs& inputs) {
  const bool chip = is_chip(stated);
  if (!chip && !counts(options, stated)) return std::nullopt;
  const DeviceMemory memory = memory_of(inputs);
  if (memory.ram_bytes() < (chip ? *inputs.platform->ram_bytes : ram_budget_bytes)) {
    return std::nullopt;
  }
  if (chip) return no_room_in_chip(inputs.model, *inputs.platform);
  return no_room_reason(memory, ram_budget_bytes, "the RAM budget",
                        fmt::format("a RAM budget above {} bytes", memory.ram_bytes()));
}

Bytes ram_for_tensors(const Options& options, const RamBudget& stated, Bytes ram_budget_bytes,
                      const Inputs& inputs) {
  if (!counts(options, stated)) return ram_budget_bytes;
  return std::max<Bytes>(ram_budget_bytes - memory_of(inputs).ram_bytes(), 0);
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
