#include "schedule/slots.hpp"

#include <fmt/format.h>

#include "schedule/findings.hpp"

namespace poet {
namespace {

/// A copy that nothing has been written over.
struct WholeCopy {
  int node = 0;
  Bytes from = 0;
  Bytes to = 0;
};

class SlotChecker {
 public:
  SlotChecker(const Graph& graph, std::optional<Bytes> storage_bytes)
      : graph_(graph), storage_bytes_(storage_bytes.value_or(0)), findings_(graph) {}

  std::vector<std::string> run(std::span<const Instruction> program) {
    return findings_.follow(program, [this](const Instruction& step) { run_step(step); });
  }

 private:
  void run_step(const Instruction& step) {
    const bool writes = step.op == Instruction::Op::page_out;
    if (!writes && step.op != Instruction::Op::page_in) {
      if (step.slot) add(step.node, "has a slot, but is not transferred");
      return;
    }
    if (!step.slot) return add(step.node, "has no slot");
    if (writes) return write(step.node, *step.slot);
    for (const WholeCopy& copy : copies_) {
      if (copy.node == step.node && copy.from == *step.slot) return;
    }
    add(step.node, fmt::format("is read from slot {}, where there is no copy of it", *step.slot));
  }

  void write(int node, Bytes slot) {
    const Bytes bytes = bytes_in_storage(graph_.nodes[node]);
    if (bytes < graph_.nodes[node].bytes) {
      add(node, fmt::format("has a copy of {} bytes; the tensor has {}", bytes,
                            graph_.nodes[node].bytes));
    }
    if (bytes > storage_bytes_ || slot > storage_bytes_ - bytes) {
      add(node, fmt::format("has a copy of {} bytes in slot {}; summary.storage_bytes is {}", bytes,
                            slot, storage_bytes_));
    }
    std::erase_if(
        copies_, [&](const WholeCopy& copy) { return copy.from < slot + bytes && slot < copy.to; });
    copies_.push_back({.node = node, .from = slot, .to = slot + bytes});
  }

  void add(int node, const std::string& what) { findings_.add(node, what); }

  const Graph& graph_;
  Bytes storage_bytes_;
  std::vector<WholeCopy> copies_;
  ProgramFindings findings_;
};

}  // namespace

std::vector<std::string> check_slots(const Graph& graph, std::span<const Instruction> program,
                                     std::optional<Bytes> storage_bytes) {
  return SlotChecker(graph, storage_bytes).run(program);
}

}  // namespace poet
