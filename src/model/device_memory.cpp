// The terms of a device's memory that no schedule can change: parameters and what training keeps
// for each of them. They decide whether training is possible at all on a chip, before any schedule
// is looked for.

#include <algorithm>

#include "model/shape.hpp"
#include "poet/error.hpp"
#include "poet/platform.hpp"

namespace poet {
namespace {

constexpr int kUsualBytes = 4;  // of an element, without a platform

/// Numbers that the optimizer keeps for each parameter.
int numbers_kept(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return 0;
    case Optimizer::momentum:
      return 1;
    case Optimizer::adam:
      break;
  }
  return 2;
}

bool in_flash(const Parameters& parameters, const Platform* platform) {
  if (platform == nullptr) return false;
  if (platform->parameters_in == ParametersIn::flash) return true;
  return !parameters.is_trained && platform->flash_bytes.has_value();
}

}  // namespace

DeviceMemory device_memory(const Model& model, const Platform* platform) {
  const int usual = platform != nullptr ? platform->element_bytes : kUsualBytes;
  DeviceMemory memory;
  if (platform != nullptr) memory.reserve_bytes = platform->reserve_bytes;
  const auto add = [](Bytes& sum, Bytes bytes) {
    sum = checked_sum({sum, bytes});
    if (sum > kMaxBytes) throw InputError("the parameters take more than 2^53 bytes");
  };
  for (const Parameters& parameters : model.parameters) {
    const ElementBytes& sizes = parameters.element_bytes;
    const Bytes own = bytes_of(parameters, sizes.parameters.value_or(usual));
    add(in_flash(parameters, platform) ? memory.flash_bytes : memory.parameters_bytes, own);
    if (!parameters.is_trained) continue;
    const Bytes gradient = bytes_of(parameters, sizes.gradients.value_or(usual));
    if (model.update == Update::accumulate) add(memory.gradients_bytes, gradient);
    add(memory.optimizer_bytes, checked_product({numbers_kept(model.optimizer), gradient}));
  }
  return memory;
}

std::optional<Bytes> chip_ram_bytes(const Model& model, const Platform* platform) {
  if (platform == nullptr || !platform->ram_bytes) return std::nullopt;
  return std::max<Bytes>(*platform->ram_bytes - device_memory(model, platform).ram_bytes(), 0);
}

}  // namespace poet
