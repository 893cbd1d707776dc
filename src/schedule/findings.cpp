// What the judge reports, in words. It is kept apart from simulate.cpp, so that that file contains
// nothing but the rules. Each message says where a reader of the file has to look, and what would
// be right if that is known.

#include "schedule/findings.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/fields.hpp"

namespace poet {

template <>
inline constexpr Names<Rule, 9> kNames<Rule> = {{{Rule::structure, "structure"},
                                                 {Rule::inputs, "rule 1 (inputs)"},
                                                 {Rule::residency, "rule 2 (residency)"},
                                                 {Rule::page_out, "rule 3 (page-out)"},
                                                 {Rule::page_in, "rule 4 (page-in)"},
                                                 {Rule::ram, "rule 5 (RAM)"},
                                                 {Rule::runtime, "rule 6 (runtime)"},
                                                 {Rule::once, "rule 8 (once)"},
                                                 {Rule::storage, "rule 9 (storage)"}}};

// A message names what a reader can look up: the index is in the file, the name in the model.
std::string node_label(const Graph& graph, int node) {
  if (node < 0 || node >= graph.size() || graph.nodes[node].name.empty()) {
    return fmt::format("{}", node);
  }
  return fmt::format("{} ({})", node, graph.nodes[node].name);
}

std::string_view rule_name(Rule rule) {
  return name_of(rule);
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
