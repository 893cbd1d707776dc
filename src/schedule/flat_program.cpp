// From stages to the list of instructions that a device runs. A schedule states what is resident
// when a stage starts, not when a tensor may go; rule 5 of docs/schedule-format.md fixes that
// moment, so that everybody counts the same RAM: right after the last computation of the stage that
// reads it, unless the next stage keeps it. Checkmate's plans are lowered in the same way (Jain et
// al., MLSys 2020).
//
// This file and simulate.cpp apply rule 5 independently of each other. tests/property runs programs
// on an interpreter of its own and compares peak and energy with the replay's.

#include <optional>
#include <span>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"
#include "schedule/lifetimes.hpp"
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
  StageWriter(const Graph& graph, const Stage& stage, std::span<const int> next, bool overlapped)
      : graph_(graph),
        stage_(stage),
        overlapped_(overlapped),
        held_(graph.size(), stage.resident),
        computed_(graph.size(), stage.compute),
        next_(graph.size(), next),
        stays_(next_) {
    if (overlapped_) stays_.insert(stage.page_out);
  }

  std::vector<Instruction> write() {
    emit_all(Instruction::Op::page_out, stage_.page_out);
    if (overlapped_) emit_all(Instruction::Op::page_in, stage_.page_in);
    for (const int node : stage_.compute) compute(node);
    for (int node = 0; node < graph_.size(); ++node) {
      if (!next_.has(node) && held_.erase(node)) emit(Instruction::Op::free, node);
    }
    if (!overlapped_) emit_all(Instruction::Op::page_in, stage_.page_in);
    return std::move(program_);
  }

 private:
  void compute(int node) {
    const std::optional<int> in_place = graph_.nodes[node].in_place;
    const bool takes_over = in_place && goes_after(*in_place, node);
    program_.push_back({.op = Instruction::Op::compute,
                        .node = node,
                        .over = takes_over ? in_place : std::nullopt});
    held_.insert(node);
    for (const int input : graph_.nodes[node].inputs) {
      if (!goes_after(input, node)) continue;
      held_.erase(input);
      if (!takes_over || input != *in_place) emit(Instruction::Op::free, input);
    }
  }

  /// Whether a tensor is there, and goes right after this computation, which reads it.
  bool goes_after(int input, int node) const {
    return held_.has(input) && !stays_.has(input) && !read_later(graph_, input, computed_, node);
  }

  void emit(Instruction::Op op, int node) { program_.push_back({.op = op, .node = node}); }
  void emit_all(Instruction::Op op, std::span<const int> nodes) {
    for (const int node : nodes) emit(op, node);
  }

  const Graph& graph_;
  const Stage& stage_;
  bool overlapped_;
  NodeSet held_;
  NodeSet computed_;
  NodeSet next_;   ///< resident in the next stage
  NodeSet stays_;  ///< these, and what a use does not free
  std::vector<Instruction> program_;
};

/// The instructions of stage t alone.
std::vector<Instruction> stage_program(const Graph& graph, const Schedule& schedule,
                                       PagingTime paging_time, int t) {
  const Stage& stage = schedule.stages[t];
  for (const auto* list : {&stage.resident, &stage.compute, &stage.page_out, &stage.page_in}) {
    check_nodes(graph, *list, t);
  }
  const bool last = t + 1 == static_cast<int>(schedule.stages.size());
  const std::span<const int> next =
      last ? std::span<const int>() : std::span<const int>(schedule.stages[t + 1].resident);
  return StageWriter(graph, stage, next, paging_time == PagingTime::overlapped).write();
}

}  // namespace

std::vector<Instruction> to_program(const Graph& graph, const Schedule& schedule,
                                    PagingTime paging_time) {
  std::vector<Instruction> program;
  for (int t = 0; t < static_cast<int>(schedule.stages.size()); ++t) {
    const std::vector<Instruction> part = stage_program(graph, schedule, paging_time, t);
    program.insert(program.end(), part.begin(), part.end());
  }
  return program;
}

std::vector<RamSample> ram_timeline(const Graph& graph, const Schedule& schedule,
                                    PagingTime paging_time) {
  std::vector<RamSample> samples;
  for (int t = 0; t < static_cast<int>(schedule.stages.size()); ++t) {
    Ram ram(graph, schedule.stages[t].resident);
    for (const Instruction& step : stage_program(graph, schedule, paging_time, t)) {
      if (step.op == Instruction::Op::free) ram.free(step.node);
      if (step.op == Instruction::Op::page_in) ram.add(step.node);
      if (step.op != Instruction::Op::compute) continue;
      if (step.over) ram.free(*step.over);
      ram.add(step.node);
      const Bytes workspace = graph.nodes[step.node].workspace_bytes;
      samples.push_back({.stage = t, .node = step.node, .ram_bytes = ram.bytes() + workspace});
    }
  }
  return samples;
}

}  // namespace poet
