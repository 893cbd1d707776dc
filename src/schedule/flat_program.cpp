// From stages to the list of instructions that a device runs. A schedule says what is resident when
// a stage starts, not when a tensor may go; rule 5 of docs/schedule-format.md fixes that moment, so
// that everybody counts the same RAM: right after the last computation of the stage that reads it,
// unless the next stage keeps it. Checkmate's plans are lowered in the same way (Jain et al., MLSys
// 2020).
//
// This file and simulate.cpp apply rule 5 independently of each other. tests/property runs programs
// on an interpreter of its own and compares peak and energy with the replay's.

#include <span>
#include <string>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"
#include "schedule/ram.hpp"

namespace poet {
namespace {

void check_nodes(const Graph& graph, std::span<const int> list, int t) {
  for (const int node : list) {
    if (node >= 0 && node < graph.size()) continue;
    throw InputError(fmt::format("stage {}: {} is not a node of the graph; expected 0 to {}", t,
                                 node, graph.size() - 1));
  }
}

/// Whether a computation of this stage after node `now` reads the node. Computations are in
/// ascending order, so a comparison of indices will do.
bool read_later(const Graph& graph, int node, const NodeSet& computed, int now) {
  for (const int user : graph.users[node]) {
    if (user > now && computed.has(user)) return true;
  }
  return false;
}

/// Emits the instructions of one stage while keeping track of what it holds.
class StageWriter {
 public:
  StageWriter(const Graph& graph, const Stage& stage, std::span<const int> next)
      : graph_(graph),
        stage_(stage),
        held_(graph.size(), stage.resident),
        computed_(graph.size(), stage.compute),
        next_(graph.size(), next) {}

  std::vector<Instruction> write() {
    emit_all(Instruction::Op::page_out, stage_.page_out);
    for (const int node : stage_.compute) compute(node);
    for (int node = 0; node < graph_.size(); ++node) free_unless_kept(node);
    emit_all(Instruction::Op::page_in, stage_.page_in);
    return std::move(program_);
  }

 private:
  void compute(int node) {
    emit(Instruction::Op::compute, node);
    held_.insert(node);
    for (const int input : graph_.nodes[node].inputs) {
      if (!read_later(graph_, input, computed_, node)) free_unless_kept(input);
    }
  }

  void free_unless_kept(int node) {
    if (!next_.has(node) && held_.erase(node)) emit(Instruction::Op::free, node);
  }

  void emit(Instruction::Op op, int node) { program_.push_back({.op = op, .node = node}); }
  void emit_all(Instruction::Op op, std::span<const int> nodes) {
    for (const int node : nodes) emit(op, node);
  }

  const Graph& graph_;
  const Stage& stage_;
  NodeSet held_;
  NodeSet computed_;
  NodeSet next_;
  std::vector<Instruction> program_;
};

/// The instructions of stage t alone.
std::vector<Instruction> stage_program(const Graph& graph, const Schedule& schedule, int t) {
  const Stage& stage = schedule.stages[t];
  for (const auto* list : {&stage.resident, &stage.compute, &stage.page_out, &stage.page_in}) {
    check_nodes(graph, *list, t);
  }
  const bool last = t + 1 == static_cast<int>(schedule.stages.size());
  const std::span<const int> next =
      last ? std::span<const int>() : std::span<const int>(schedule.stages[t + 1].resident);
  return StageWriter(graph, stage, next).write();
}

}  // namespace

std::vector<Instruction> to_program(const Graph& graph, const Schedule& schedule) {
  std::vector<Instruction> program;
  for (int t = 0; t < static_cast<int>(schedule.stages.size()); ++t) {
    const std::vector<Instruction> part = stage_program(graph, schedule, t);
    program.insert(program.end(), part.begin(), part.end());
  }
  return program;
}

std::vector<RamSample> ram_timeline(const Graph& graph, const Schedule& schedule) {
  std::vector<RamSample> samples;
  for (int t = 0; t < static_cast<int>(schedule.stages.size()); ++t) {
    Ram ram(graph, schedule.stages[t].resident);
    for (const Instruction& step : stage_program(graph, schedule, t)) {
      if (step.op == Instruction::Op::free) ram.free(step.node);
      if (step.op != Instruction::Op::compute) continue;
      ram.add(step.node);
      samples.push_back({.stage = t, .node = step.node, .ram_bytes = ram.bytes()});
    }
  }
  return samples;
}

}  // namespace poet
