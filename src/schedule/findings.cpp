// What the judge reports, in words. It is kept apart from simulate.cpp, so that that file contains
// nothing but the rules.

#include "schedule/findings.hpp"

#include <utility>

#include <fmt/format.h>

namespace poet {

// A message names what a reader can look up: the index is in the file, the name in the model.
std::string node_label(const Graph& graph, int node) {
  if (node < 0 || node >= graph.size() || graph.nodes[node].name.empty()) {
    return fmt::format("{}", node);
  }
  return fmt::format("{} ({})", node, graph.nodes[node].name);
}

std::string_view rule_name(Rule rule) {
  switch (rule) {
    case Rule::structure:
      return "structure";
    case Rule::inputs:
      return "rule 1 (inputs)";
    case Rule::residency:
      return "rule 2 (residency)";
    case Rule::page_out:
      return "rule 3 (page-out)";
    case Rule::page_in:
      return "rule 4 (page-in)";
    case Rule::ram:
      return "rule 5 (RAM)";
    case Rule::runtime:
      return "rule 6 (runtime)";
    case Rule::once:
      return "rule 8 (once)";
    case Rule::storage:
      return "rule 9 (storage)";
  }
  return "unknown rule";
}

void Findings::add(Rule rule, int stage, int node, const std::string& message) {
  push({.rule = rule,
        .stage = stage,
        .node = node,
        .message = fmt::format("stage {}: {}", stage, message)});
}

void Findings::add(Rule rule, const std::string& message) {
  push({.rule = rule, .stage = -1, .node = -1, .message = message});
}

std::vector<Violation> Findings::take() {
  if (unlisted_ > 0) {
    list_.push_back({.rule = Rule::structure,
                     .stage = -1,
                     .node = -1,
                     .message = fmt::format("{} more violations are not listed", unlisted_)});
    unlisted_ = 0;
  }
  return std::exchange(list_, {});
}

void Findings::push(Violation violation) {
  if (list_.size() < kMaxListedViolations) {
    list_.push_back(std::move(violation));
  } else {
    ++unlisted_;
  }
}

void ProgramFindings::add(int node, const std::string& what) {
  lines_.push_back(
      fmt::format("program: instruction {}: {} {}", at_, node_label(graph_, node), what));
}

}  // namespace poet
