// Lifetimes out of a flat program. Offsets, runs, exports and files all number buffers as this file
// does, in the order in which the program opens them; time is the number of an instruction. They
// come from the program and not from the stages of a schedule, because only the program states
// after which instruction a tensor goes. A tensor that is computed again or read back is another
// buffer, since it may lie elsewhere then. An output over its input goes on with the input's
// buffer.
//
// One pass, linear in the program. Nothing is taken on trust: a hand-written program that frees
// what is not in RAM gets an error with the number of the instruction.

#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "poet/arena.hpp"
#include "poet/banks.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

class LifetimeReader {
 public:
  LifetimeReader(const Graph& graph, std::span<const Instruction> program)
      : graph_(graph), program_(program), open_(graph.nodes.size(), -1) {}

  ProgramBuffers read() {
    found_.of_instruction.assign(program_.size(), -1);
    found_.workspace.assign(program_.size(), -1);
    for (std::size_t at = 0; at < program_.size(); ++at) read_step(at, program_[at]);
    for (const int buffer : open_) {
      if (buffer >= 0) end(buffer, program_.size());
    }
    return std::move(found_);
  }

 private:
  void read_step(std::size_t at, const Instruction& step) {
    switch (step.op) {
      case Instruction::Op::compute:
        compute(at, step);
        break;
      case Instruction::Op::page_in:
        require_closed(at, step.node);
        open_of(step.node) = found_.of_instruction[at] =
            add(at, step.node, graph_.nodes[index_of(at, step.node)].bytes);
        break;
      case Instruction::Op::free:
        end(close(at, step.node), at);
        break;
      case Instruction::Op::page_out:
      case Instruction::Op::move:
        break;  // a copy; the tensor stays where it is until it is freed
    }
  }

  void compute(std::size_t at, const Instruction& step) {
    require_closed(at, step.node);
    const Node& node = graph_.nodes[index_of(at, step.node)];
    const int buffer = step.over ? close(at, *step.over) : add(at, step.node, node.bytes);
    open_of(step.node) = found_.of_instruction[at] = buffer;
    if (node.workspace_bytes == 0) return;
    found_.workspace[at] = add(at, step.node, node.workspace_bytes);
    end(found_.workspace[at], at + 1);
  }

  int add(std::size_t at, int node, Bytes bytes) {
    found_.buffers.push_back({.lower = static_cast<std::int64_t>(at), .bytes = bytes});
    found_.nodes.push_back(node);
    return static_cast<int>(found_.buffers.size()) - 1;
  }

  void end(int buffer, std::size_t at) {
    found_.buffers[buffer].upper = static_cast<std::int64_t>(at);
  }

  int close(std::size_t at, int node) {
    int& open = open_[index_of(at, node)];
    if (open < 0) fail(at, node, "not in RAM");
    return std::exchange(open, -1);
  }

  void require_closed(std::size_t at, int node) const {
    if (open_[index_of(at, node)] >= 0) fail(at, node, "in RAM already");
  }

  std::size_t index_of(std::size_t at, int node) const {
    if (node < 0 || node >= graph_.size()) fail(at, node, "not a node of the graph");
    return static_cast<std::size_t>(node);
  }

  int& open_of(int node) { return open_[node]; }

  [[noreturn]] static void fail(std::size_t at, int node, const char* what) {
    throw InputError(fmt::format("instruction {}: {} is {}", at, node, what));
  }

  const Graph& graph_;
  std::span<const Instruction> program_;
  std::vector<int> open_;  ///< by node: the buffer that holds it, or -1
  ProgramBuffers found_;
};

class FlightReader {
 public:
  FlightReader(std::span<const Instruction> program, const ProgramBuffers& lifetimes)
      : program_(program), lifetimes_(lifetimes) {}

  std::vector<Flight> read() {
    for (std::size_t at = 0; at < program_.size(); ++at) read_step(at, program_[at]);
    end_stage(program_.size());
    return std::move(flights_);
  }

 private:
  void read_step(std::size_t at, const Instruction& step) {
    // A stage ends with its own node, which is new then, and the frees that follow.
    if (stage_is_done_ && step.op != Instruction::Op::free) end_stage(at);
    const std::size_t node = static_cast<std::size_t>(step.node);
    if (buffer_of_.size() <= node) buffer_of_.resize(node + 1, -1);
    if (lifetimes_.of_instruction[at] >= 0) buffer_of_[node] = lifetimes_.of_instruction[at];
    const bool writes = step.op == Instruction::Op::page_out;
    if (writes || step.op == Instruction::Op::page_in) {
      flights_.push_back(
          {.lower = static_cast<std::int64_t>(stage_start_), .buffer = buffer_of_[node]});
    }
    stage_is_done_ |= step.op == Instruction::Op::compute && step.node == stage_;
  }

  void end_stage(std::size_t at) {
    for (; ended_ < flights_.size(); ++ended_) {
      flights_[ended_].upper = static_cast<std::int64_t>(at);
    }
    stage_start_ = at;
    stage_is_done_ = false;
    ++stage_;
  }

  std::span<const Instruction> program_;
  const ProgramBuffers& lifetimes_;
  std::vector<int> buffer_of_;  ///< by node: the last buffer that it was in
  int stage_ = 0;
  std::size_t stage_start_ = 0;
  bool stage_is_done_ = false;
  std::size_t ended_ = 0;  ///< so many flights are over
  std::vector<Flight> flights_;
};

}  // namespace

ProgramBuffers program_buffers(const Graph& graph, std::span<const Instruction> program) {
  return LifetimeReader(graph, program).read();
}

ProgramCopies program_copies(const Graph& graph, std::span<const Instruction> program) {
  ProgramCopies copies{.buffers = {}, .of_instruction = std::vector<int>(program.size(), -1)};
  std::vector<int> latest(graph.nodes.size(), -1);  // by node: its newest copy
  for (std::size_t at = 0; at < program.size(); ++at) {
    const Instruction& step = program[at];
    const bool writes = step.op == Instruction::Op::page_out;
    if (!writes && step.op != Instruction::Op::page_in) continue;
    if (step.node < 0 || step.node >= graph.size()) {
      throw InputError(fmt::format("instruction {}: {} is not a node of the graph", at, step.node));
    }
    const auto node = static_cast<std::size_t>(step.node);
    const auto time = static_cast<std::int64_t>(at);
    if (writes) {
      latest[node] = static_cast<int>(copies.buffers.size());
      copies.buffers.push_back({.lower = time, .bytes = bytes_in_storage(graph.nodes[node])});
    } else if (latest[node] < 0) {
      throw InputError(fmt::format("instruction {}: {} has no copy in storage", at, step.node));
    }
    copies.of_instruction[at] = latest[node];
    copies.buffers[latest[node]].upper = time + 1;
  }
  return copies;
}

// Which buffers are in flight, and when. A program of instructions runs in order, but a transfer
// that overlaps with computations only starts with its instruction: a DMA controller reads or
// writes the tensor until the stage is over. A stage's transfers come first in it, so that its
// first instruction is the last moment at which what it transfers may be moved.

std::vector<Flight> program_flights(std::span<const Instruction> program,
                                    const ProgramBuffers& lifetimes, PagingTime paging_time) {
  if (paging_time != PagingTime::overlapped) return {};
  return FlightReader(program, lifetimes).read();
}

// A node that takes over the memory of an input reads and writes it, so that both count. What a
// kernel reads twice counts once: bytes, not accesses, as for the time of a computation.
std::vector<Bytes> program_traffic(const Graph& graph, std::span<const Instruction> program,
                                   const ProgramBuffers& lifetimes) {
  std::vector<Bytes> traffic(lifetimes.buffers.size(), 0);
  std::vector<int> buffer_of(graph.nodes.size(), -1);
  const auto touch = [&](int node) {
    const int buffer = buffer_of[static_cast<std::size_t>(node)];
    if (buffer >= 0) traffic[static_cast<std::size_t>(buffer)] += graph.nodes[node].bytes;
  };
  for (std::size_t at = 0; at < program.size(); ++at) {
    const Instruction& step = program[at];
    if (step.op == Instruction::Op::free) continue;
    if (step.op == Instruction::Op::compute) {
      for (const int input : graph.nodes[step.node].inputs) touch(input);
    }
    if (const int opened = lifetimes.of_instruction[at]; opened >= 0) {
      buffer_of[static_cast<std::size_t>(step.node)] = opened;
    }
    touch(step.node);
    if (const int workspace = lifetimes.workspace[at]; workspace >= 0) {
      traffic[workspace] += 2 * graph.nodes[step.node].workspace_bytes;
    }
  }
  return traffic;
}

}  // namespace poet
