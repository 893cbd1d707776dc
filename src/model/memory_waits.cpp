// Memory in the costs of computations: what a computation reads and writes takes its time at the
// rate of the memory where it is. Memories work side by side, with each other and with the
// processor, so that the slowest decides; what they draw adds up.

#include "model/memory_waits.hpp"

#include <algorithm>

namespace poet {
MemoryWaits::MemoryWaits(const Model& model, const Platform& platform)
    : model_(model), platform_(platform), kept_(model, &platform), keeper_(keeping_bank(platform)) {
  const bool has_prices = platform.flash_bytes_per_second || platform.flash_joules_per_byte;
  for (const Parameters& each : model.parameters) {
    const bool in_flash = is_in_flash(each, &platform);
    sizes_[each.name] = {.bytes = kept_sizes(each, model, &platform).parameters,
                         .is_in_flash = in_flash,
                         .is_apart = in_flash ? has_prices : keeper_ != nullptr};
  }
}

void MemoryWaits::add_to(Node& node, const ModelNode& from, std::span<const Node> earlier) const {
  if (from.measured) return;
  wait_for_ram(node, from, earlier);
  read_from_flash(node, from);
  wait_for_bank(node, from);
}

const MemoryWaits::Size* MemoryWaits::size_of(std::string_view name) const {
  const auto found = sizes_.find(name);
  return found != sizes_.end() ? &found->second : nullptr;
}

/// A computation takes no less time than to move what it reads and writes. A copy counts as what it
/// is a copy of: kernels convert it to that, and no gradient is to take less time with a copy.
void MemoryWaits::wait_for_ram(Node& node, const ModelNode& from,
                               std::span<const Node> earlier) const {
  if (!platform_.memory_bytes_per_second) return;
  double bytes = static_cast<double>(node.bytes);
  for (const int input : from.inputs) {
    bytes += static_cast<double>(earlier[model_.nodes[input].copy_of.value_or(input)].bytes);
  }
  for (const auto* names : {&from.reads_parameters, &from.writes_parameters}) {
    for (const std::string& name : *names) {
      const Size* const size = size_of(name);
      if (size != nullptr && !size->is_apart) bytes += static_cast<double>(size->bytes);
    }
  }
  node.runtime_seconds = std::max(node.runtime_seconds, bytes / *platform_.memory_bytes_per_second);
}

/// What a computation reads in flash it reads there each time, also when it is done again. A copy
/// in RAM is a node of its own, which does the same.
void MemoryWaits::read_from_flash(Node& node, const ModelNode& from) const {
  double bytes = 0;
  for (const std::string& name : from.reads_parameters) {
    const Size* const size = size_of(name);
    if (size != nullptr && size->is_in_flash) bytes += static_cast<double>(size->bytes);
  }
  if (platform_.flash_bytes_per_second) {
    node.runtime_seconds =
        std::max(node.runtime_seconds, bytes / *platform_.flash_bytes_per_second);
  }
  node.energy_joules += bytes * platform_.flash_joules_per_byte.value_or(0);
}

/// Likewise of a bank that keeps parameters, gradients and moments, which are written there too.
void MemoryWaits::wait_for_bank(Node& node, const ModelNode& from) const {
  if (keeper_ == nullptr) return;
  const KeptTraffic traffic = kept_.of(from);
  double bytes = 0;
  for (const auto* const sums : {&traffic.read, &traffic.written}) {
    for (const Bytes sum : *sums) bytes += static_cast<double>(sum);
  }
  node.runtime_seconds = std::max(node.runtime_seconds, bytes / keeper_->bytes_per_second);
  node.energy_joules += bytes * keeper_->joules_per_byte.value_or(0);
}

}  // namespace poet
