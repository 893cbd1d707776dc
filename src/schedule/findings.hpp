#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"

namespace poet {

/// Violations beyond this number are counted, not listed: nobody reads them, and a garbage file
/// must not fill the memory.
inline constexpr std::size_t kMaxListedViolations = 1000;

/// Returns `57 (block3.conv1)`, or `57` for an index outside the graph or a node without a name.
std::string node_label(const Graph& graph, int node);

/// Collects violations up to kMaxListedViolations, then only counts them.
class Findings {
 public:
  /// Adds a violation in one stage and puts the stage's number before the message.
  void add(Rule rule, int stage, int node, const std::string& message);

  /// Adds a violation of the schedule as a whole.
  void add(Rule rule, const std::string& message);

  /// Takes the list out, in the order of discovery, with a note at its end if it was cut.
  std::vector<Violation> take();

 private:
  void push(Violation violation);

  std::vector<Violation> list_;
  std::size_t unlisted_ = 0;
};

/// Collects what is wrong with the instructions of a program, a line each with the number of the
/// instruction and the node.
class ProgramFindings {
 public:
  explicit ProgramFindings(const Graph& graph) : graph_(graph) {}

  /// Gives each instruction in turn to `check`, which adds what it finds, until there are
  /// kMaxListedViolations lines.
  template <typename Check>
  std::vector<std::string> follow(std::span<const Instruction> program, Check check) {
    for (at_ = 0; at_ < program.size() && lines_.size() < kMaxListedViolations; ++at_) {
      check(program[at_]);
    }
    return std::move(lines_);
  }

  /// About the instruction that is being checked.
  void add(int node, const std::string& what);

 private:
  const Graph& graph_;
  std::size_t at_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace poet
