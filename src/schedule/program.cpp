#include <span>
#include <string>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "poet/schedule.hpp"
#include "schedule/node_set.hpp"
#include "schedule/stage_program.hpp"

namespace poet {
namespace {

void check_nodes(const Graph& graph, std::span<const int> list, int t) {
  for (const int node : list) {
    if (node >= 0 && node < graph.size()) continue;
    throw InputError(fmt::format("stage {}: {} is not a node of the graph; expected 0 to {}", t,
                                 node, graph.size() - 1));
  }
}

bool read_later(const Graph& graph, int node, const NodeSet& computed, int now) {
  for (const int user : graph.users[node]) {
    if (user > now && computed.has(user)) return true;
  }
  return false;
}

/// Writes down one stage while keeping track of what it holds.
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

}  // namespace

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

std::vector<Instruction> to_program(const Graph& graph, const Schedule& schedule) {
  std::vector<Instruction> program;
  for (int t = 0; t < static_cast<int>(schedule.stages.size()); ++t) {
    const std::vector<Instruction> part = stage_program(graph, schedule, t);
    program.insert(program.end(), part.begin(), part.end());
  }
  return program;
}

}  // namespace poet
