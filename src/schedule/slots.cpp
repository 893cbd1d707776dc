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
  SlotChecker(const Graph& graph, std::span<const Instruction> program,
              std::optional<Bytes> storage_bytes)
      : graph_(graph), program_(program), storage_bytes_(storage_bytes.value_or(0)) {}

  std::vector<std::string> run() {
    for (at_ = 0; at_ < program_.size(); ++at_) {
      run_step(program_[at_]);
      if (findings_.size() >= kMaxListedViolations) break;
    }
    return std::move(findings_);
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
    if (bytes > storage_bytes_ || slot > storage_bytes_ - bytes) {
      add(node, fmt::format("has a copy of {} bytes in slot {}; summary.storage_bytes is {}", bytes,
                            slot, storage_bytes_));
    }
    std::erase_if(
        copies_, [&](const WholeCopy& copy) { return copy.from < slot + bytes && slot < copy.to; });
    copies_.push_back({.node = node, .from = slot, .to = slot + bytes});
  }

  void add(int node, const std::string& what) {
    findings_.push_back(
        fmt::format("program: instruction {}: {} {}", at_, node_label(graph_, node), what));
  }

  const Graph& graph_;
  std::span<const Instruction> program_;
  Bytes storage_bytes_;
  std::size_t at_ = 0;
  std::vector<WholeCopy> copies_;
  std::vector<std::string> findings_;
};

}  // namespace

std::vector<std::string> check_slots(const Graph& graph, std::span<const Instruction> program,
                                     std::optional<Bytes> storage_bytes) {
  return SlotChecker(graph, program, storage_bytes).run();
}

}  // namespace poet
