// The terms of a device's memory that no schedule can change: parameters and what training keeps
// for each of them. They decide whether training is possible at all on a chip, before any schedule
// is looked for. Bytes of elements are the layer's, the file's or the platform's, in this order. An
// optimizer keeps its numbers with the precision of gradients.

#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.hpp"
#include "model/chip_ram.hpp"
#include "model/model_spec.hpp"
#include "model/parameters.hpp"
#include "model/shape.hpp"
#include "model/training_arrays.hpp"
#include "poet/error.hpp"
#include "poet/platform.hpp"

namespace poet {
namespace {

/// What makes each term smaller, in their order.
constexpr std::array<std::string_view, 4> kCures{
    "layers that are not trained (\"trainable\": false in the model) on a platform that keeps "
    "their parameters in flash (\"flash_bytes\")",
    "\"update\": \"fused\" in the model, which keeps no gradients of parameters",
    "\"optimizer\": \"sgd\" in the model, which keeps nothing for a parameter",
    "a smaller \"reserve_bytes\" in the platform"};

constexpr int kFloatBytes = 4;

bool is_exported(const Model& model, const Platform* platform) {
  const int usual = platform != nullptr ? platform->element_bytes : kFloatBytes;
  const auto are_floats = [&](const ElementBytes& of) {
    return of.activations.value_or(usual) == kFloatBytes &&
           of.gradients.value_or(usual) == kFloatBytes &&
           of.parameters.value_or(usual) == kFloatBytes;
  };
  if (model.spec == nullptr || !are_floats(model.element_bytes)) return false;
  return std::none_of(model.spec->layers.begin(), model.spec->layers.end(),
                      [](const LayerSpec& layer) { return layer.op == "custom"; });
}

ExportedRam exported_ram(const Model& model) {
  std::int64_t trained = 0;
  for (const Parameters& each : model.parameters) trained += each.is_trained ? each.count : 0;
  const Bytes bytes = checked_product({kFloatBytes, trained});
  return {.parameters_bytes = bytes,
          .moments_bytes = checked_product({std::ssize(moments_of(model.optimizer)), bytes}),
          .kept_bytes = model.update == Update::accumulate ? bytes : 0,
          .running_bytes = checked_product({kFloatBytes, model.running_count}),
          .data_bytes = checked_product({kFloatBytes, model.data_count}),
          .stack_bytes = kStackBytes};
}

}  // namespace

void add_arena(std::optional<DeviceMemory>& memory, std::optional<Bytes> arena_bytes) {
  if (!memory || !memory->exported) return;
  ExportedRam& ram = *memory->exported;
  ram.arena_bytes = arena_bytes;
  ram.total_ram_bytes.reset();
  if (!arena_bytes) return;
  ram.total_ram_bytes =
      checked_sum({*arena_bytes, ram.parameters_bytes, ram.moments_bytes, ram.kept_bytes,
                   ram.running_bytes, ram.data_bytes, ram.stack_bytes});
}

DeviceMemory device_memory(const Model& model, const Platform* platform) {
  DeviceMemory memory;
  if (platform != nullptr) memory.reserve_bytes = platform->reserve_bytes;
  const auto add = [](Bytes& sum, Bytes bytes) {
    sum = checked_sum({sum, bytes});
    if (sum > kMaxBytes) throw InputError("the parameters take more than 2^53 bytes");
  };
  for (const Parameters& parameters : model.parameters) {
    const KeptSizes sizes = kept_sizes(parameters, model, platform);
    add(is_in_flash(parameters, platform) ? memory.flash_bytes : memory.parameters_bytes,
        sizes.parameters);
    add(memory.gradients_bytes, sizes.gradients);
    add(memory.optimizer_bytes, sizes.optimizer);
  }
  if (is_exported(model, platform)) memory.exported = exported_ram(model);
  return memory;
}

std::optional<Bytes> chip_ram_bytes(const Model& model, const Platform* platform) {
  if (platform == nullptr || !platform->ram_bytes) return std::nullopt;
  return std::max<Bytes>(*platform->ram_bytes - device_memory(model, platform).ram_bytes(), 0);
}

std::array<std::pair<std::string_view, Bytes>, 4> terms_of(const DeviceMemory& memory) {
  return {{{"parameters", memory.parameters_bytes},
           {"accumulated gradients", memory.gradients_bytes},
           {"optimizer state", memory.optimizer_bytes},
           {"reserve", memory.reserve_bytes}}};
}

std::pair<std::string_view, Bytes> term_of(TrainingArray array, const DeviceMemory& memory) {
  return terms_of(memory)[static_cast<std::size_t>(array)];
}

std::string beside_tensors(const DeviceMemory& memory) {
  std::string text;
  for (const auto& [name, bytes] : terms_of(memory)) {
    if (bytes == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, format_bytes(bytes));
  }
  if (text.empty()) text = "nothing";
  if (memory.flash_bytes == 0) return text;
  return text + "; parameters in flash " + format_bytes(memory.flash_bytes);
}

// The largest term decides what is worth changing, so the message names its cure and no others.
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
