// A program states where a tensor comes to lie; a kernel has to know where its operands are by
// then. So the program is followed instruction by instruction. It has been verified before, by code
// that shares nothing with this file. What does not add up here is a bug of ours, and no error of
// the user. One pass, linear in the program, with an offset for each node that is in RAM.

#include "export/resolve_memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "poet/arena.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

// An output over an input takes the offset of that input, which may have been moved since it was
// placed: the offset that the instruction states is only for outputs of their own.
class MemoryFollower {
 public:
  MemoryFollower(const Graph& graph, std::span<const Instruction> program)
      : graph_(graph), program_(program), offset_(graph.nodes.size()) {}

  ResolvedProgram follow() {
    for (std::size_t at = 0; at < program_.size(); ++at) follow(static_cast<int>(at));
    return std::move(resolved_);
  }

 private:
  // A free has no instruction on a device: there is nothing to do, and the number of the next one
  // says that something was left out.
  void follow(int number) {
    const Instruction& step = program_[number];
    const Node& node = graph_.nodes[step.node];
    ResolvedInstruction made{.number = number, .node = step.node, .bytes = node.bytes};
    switch (step.op) {
      case Instruction::Op::free:
        offset_[step.node].reset();
        return;
      case Instruction::Op::compute:
        made.op = POET_COMPUTE;
        made.over = step.over;
        made.workspace = step.workspace_offset;
        for (const int input : node.inputs) made.inputs.push_back(offset_of(number, input));
        set_offset(step.node, step.over ? offset_of(number, *step.over) : stated(number));
        if (step.over) offset_[*step.over].reset();
        break;
      case Instruction::Op::page_out:
        made.op = POET_PAGE_OUT;
        made.from = slot(number);
        break;
      case Instruction::Op::page_in:
        made.op = POET_PAGE_IN;
        made.from = slot(number);
        set_offset(step.node, stated(number));
        break;
      case Instruction::Op::move:
        made.op = POET_MOVE;
        made.from = offset_of(number, step.node);
        set_offset(step.node, stated(number));
        break;
    }
    made.offset = offset_of(number, step.node);
    resolved_.instructions.push_back(std::move(made));
  }

  Bytes stated(int number) const {
    const std::optional<Bytes>& offset = program_[number].offset;
    if (!offset) throw InternalError(fmt::format("instruction {} has no offset", number));
    return *offset;
  }

  // Inputs are resolved before the output is placed: an output over its input would hide it
  // otherwise.
  void set_offset(int node, Bytes offset) { offset_[node] = offset; }

  Bytes offset_of(int number, int node) const {
    const std::optional<Bytes>& offset = offset_[node];
    if (offset) return *offset;
    throw InternalError(fmt::format("instruction {}: node {} is not in RAM", number, node));
  }

  Bytes slot(int number) {
    const Instruction& step = program_[number];
    if (!step.slot) throw InternalError(fmt::format("instruction {} has no slot", number));
    const Node& node = graph_.nodes[step.node];
    const Bytes bytes = bytes_in_storage(node);
    // A device transfers the whole tensor, and would write over the next copy.
    if (bytes < node.bytes) {
      throw InternalError(fmt::format("instruction {}: the copy of node {} has {} of {} bytes",
                                      number, step.node, bytes, node.bytes));
    }
    resolved_.storage_bytes = std::max(resolved_.storage_bytes, *step.slot + bytes);
    return *step.slot;
  }

  const Graph& graph_;
  std::span<const Instruction> program_;
  std::vector<std::optional<Bytes>> offset_;  ///< by node: where it is now
  ResolvedProgram resolved_;
};

}  // namespace

ResolvedProgram resolve_memory(const Graph& graph, std::span<const Instruction> program) {
  return MemoryFollower(graph, program).follow();
}

/// src/arena says how long each buffer lives, as it does for the search for offsets; the offsets
/// themselves are in the instructions.
std::vector<Lifetime> lifetimes_of(const Graph& graph, std::span<const Instruction> program) {
  const ProgramBuffers found = program_buffers(graph, program);
  std::vector<Lifetime> lifetimes;
  for (std::size_t b = 0; b < found.buffers.size(); ++b) {
    lifetimes.push_back({.node = found.nodes[b],
                         .first = static_cast<int>(found.buffers[b].lower),
                         .end = static_cast<int>(found.buffers[b].upper),
                         .bytes = found.buffers[b].bytes});
  }
  std::vector<int> buffer_of(graph.nodes.size(), -1);
  for (std::size_t at = 0; at < program.size(); ++at) {
    const Instruction& step = program[at];
    int& buffer = buffer_of[step.node];
    if (found.of_instruction[at] >= 0) buffer = found.of_instruction[at];
    if (step.op == Instruction::Op::move) {
      lifetimes[buffer].moves = true;
    } else if (step.offset && !step.over) {
      lifetimes[buffer].offset = *step.offset;
    }
    if (const int workspace = found.workspace[at]; workspace >= 0) {
      lifetimes[workspace].offset = step.workspace_offset.value_or(0);
    }
  }
  return lifetimes;
}

}  // namespace poet
