// A schedule is about tensors; a chip also holds parameters, their gradients and moments, and a
// stack. `chip` and `min` are budgets for tensors alone, so only a budget in bytes or as a share
// can count the rest, and only if the user asks for it.

#include "question/room_for_tensors.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "model/chip_ram.hpp"
#include "poet/platform.hpp"

namespace poet {
namespace {

bool is_chip(const RamBudget& budget) {
  const NamedRam* const name = std::get_if<NamedRam>(&budget);
  return name != nullptr && *name == NamedRam::chip;
}

/// Whether the budget holds more than tensors. What `min` and `chip` come to is for tensors
/// already: the search for the one knows nothing else, and the other leaves the rest out.
bool counts(const Question& question) {
  return question.count_parameters && !std::holds_alternative<NamedRam>(question.ram);
}

DeviceMemory memory_of(const Subject& subject) {
  return device_memory(subject.model, subject.platform_or_null());
}

}  // namespace

std::optional<std::string> no_room_for_tensors(const Subject& subject, const Question& question,
                                               Bytes stated_bytes) {
  const bool chip = is_chip(question.ram);
  if (!chip && !counts(question)) return std::nullopt;
  const DeviceMemory memory = memory_of(subject);
  if (memory.ram_bytes() < (chip ? *subject.platform->ram_bytes : stated_bytes)) {
    return std::nullopt;
  }
  if (chip) return no_room_in_chip(subject.model, *subject.platform);
  return no_room_reason(memory, stated_bytes, "the RAM budget",
                        fmt::format("a RAM budget above {} bytes", memory.ram_bytes()));
}

Bytes ram_for_tensors(const Subject& subject, const Question& question, Bytes stated_bytes) {
  if (!counts(question)) return stated_bytes;
  return std::max<Bytes>(stated_bytes - memory_of(subject).ram_bytes(), 0);
}

}  // namespace poet
