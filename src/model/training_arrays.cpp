// The arrays that training keeps in RAM, and who reads and writes them. Sizes decide whether a chip
// has room for tensors besides; traffic decides which of its memories they should be in.

#include "model/training_arrays.hpp"

#include "model/parameters.hpp"
#include "model/shape.hpp"

namespace poet {
namespace {

constexpr int kUsualBytes = 4;  // of an element, without a platform

}  // namespace

// What trains is written in every step, which flash does not survive; a platform may say otherwise.
bool is_in_flash(const Parameters& parameters, const Platform* platform) {
  if (platform == nullptr) return false;
  if (platform->parameters_in == ParametersIn::flash) return true;
  return !parameters.is_trained && platform->flash_bytes.has_value();
}

KeptSizes kept_sizes(const Parameters& parameters, const Model& model, const Platform* platform) {
  if (parameters.is_state) return {.optimizer = parameters.bytes.value_or(0)};
  const int usual = platform != nullptr ? platform->element_bytes : kUsualBytes;
  const ElementBytes& elements = parameters.element_bytes;
  KeptSizes sizes{.parameters = bytes_of(parameters, elements.parameters.value_or(usual))};
  if (!parameters.is_trained) return sizes;
  const Bytes gradient = bytes_of(parameters, elements.gradients.value_or(usual));
  if (model.update == Update::accumulate) sizes.gradients = gradient;
  sizes.optimizer = checked_product({std::ssize(moments_of(model.optimizer)), gradient});
  return sizes;
}

KeptReader::KeptReader(const Model& model, const Platform* platform) {
  for (const Parameters& parameters : model.parameters) {
    KeptSizes sizes = kept_sizes(parameters, model, platform);
    if (is_in_flash(parameters, platform)) sizes.parameters = 0;
    sizes_[parameters.name] = sizes;
  }
}

KeptTraffic KeptReader::of(const ModelNode& node) const {
  KeptTraffic traffic;
  const auto read = [&](TrainingArray array, Bytes bytes) {
    Bytes& sum = traffic.read[static_cast<std::size_t>(array)];
    sum = checked_sum({sum, bytes});
  };
  const auto update = [&](TrainingArray array, Bytes bytes) {
    read(array, bytes);
    Bytes& sum = traffic.written[static_cast<std::size_t>(array)];
    sum = checked_sum({sum, bytes});
  };
  const auto for_each_size = [&](const std::vector<std::string>& names, const auto& act) {
    for (const std::string& name : names) {
      if (const auto found = sizes_.find(name); found != sizes_.end()) act(found->second);
    }
  };
  for_each_size(node.reads_parameters,
                [&](const KeptSizes& of) { read(TrainingArray::parameters, of.parameters); });
  for_each_size(node.adds_to,
                [&](const KeptSizes& of) { update(TrainingArray::gradients, of.gradients); });
  for_each_size(node.writes_parameters, [&](const KeptSizes& of) {
    update(TrainingArray::parameters, of.parameters);
    update(TrainingArray::gradients, of.gradients);
    update(TrainingArray::optimizer, of.optimizer);
  });
  return traffic;
}

const MemoryBank* keeping_bank(const Platform& platform) {
  for (const MemoryBank& bank : platform.banks) {
    if (bank.keeps_parameters) return &bank;
  }
  return nullptr;
}

}  // namespace poet
