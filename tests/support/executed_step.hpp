#pragma once

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "support/exact_model.hpp"
#include "support/symbolic_executor.hpp"

namespace poet::test {

/// A training step as a graph with the costs of a platform, and as formulas.
struct ExecutedStep {
  Model model;
  Graph graph;
  Formulas formulas;
  Outcome expected;

  /// What is wrong with the result of a program; empty: nothing.
  std::string fault(const std::vector<Instruction>& program) const {
    return difference(execute(model, formulas, program), expected);
  }

  /// Names a node that does not read or change what its formula does; empty: none.
  std::string graph_fault() const;

  /// Everything computed once, in the order of the graph, and nothing freed.
  std::vector<Instruction> keep_all() const {
    std::vector<Instruction> program;
    for (int node = 0; node < graph.size(); ++node) program.push_back({.node = node});
    return program;
  }

  /// The same with tensors freed after their last readers, as the graph has them.
  std::vector<Instruction> keep_needed() const {
    return to_program(graph, baseline(graph).schedule);
  }
};

namespace detail {

template <typename List>
std::set<std::string> set_of(const List& list) {
  return {list.begin(), list.end()};
}

}  // namespace detail

inline std::string ExecutedStep::graph_fault() const {
  for (const auto& [name, formula] : formulas) {
    const auto has_name = [&, &wanted = name](const ModelNode& node) {
      return node.name == wanted;
    };
    if (std::none_of(model.nodes.begin(), model.nodes.end(), has_name)) return "no node " + name;
  }
  for (const ModelNode& node : model.nodes) {
    const auto found = formulas.find(node.name);
    if (found == formulas.end()) return "no formula for " + node.name;
    const Formula& formula = found->second;
    std::set<std::string> inputs;
    for (const int input : node.inputs) inputs.insert(model.nodes[input].name);
    // In the graph a loss stands for its own gradient, which is 1 and no tensor.
    if (node.backward && !detail::set_of(formula.reads).contains("loss")) inputs.erase("loss");
    if (inputs != detail::set_of(formula.reads)) return node.name + " reads other tensors";
    if (detail::set_of(node.reads_parameters) != detail::set_of(formula.reads_parameters)) {
      return node.name + " reads other parameters";
    }
    if (detail::set_of(node.writes_parameters) != detail::set_of(formula.writes_parameters)) {
      return node.name + " changes other parameters";
    }
    if (!node.in_place) continue;
    const std::string& over = model.nodes[*node.in_place].name;
    if (!detail::set_of(formula.over).contains(over)) return node.name + " is over " + over;
  }
  return "";
}

inline ExecutedStep executed_step(Model model, Formulas formulas) {
  const Platform platform = load_platform("m4");
  Graph graph = cost_graph(model, &platform);
  Outcome expected = by_definition(formulas);
  return {std::move(model), std::move(graph), std::move(formulas), std::move(expected)};
}

inline ExecutedStep builtin_step(const std::string& name) {
  Model model = load_model(name, 1, Backward::exact);
  std::ifstream file(std::string(POET_SOURCE_DIR "/models/") + name + ".json");
  Formulas formulas = step_formulas(nlohmann::json::parse(file), model);
  return executed_step(std::move(model), std::move(formulas));
}

/// That of a model file.
inline ExecutedStep file_step(const std::string& text) {
  Model model = parse_model(text, "tiny.json");
  Formulas formulas = step_formulas(nlohmann::json::parse(text), model);
  return executed_step(std::move(model), std::move(formulas));
}

inline int count_of(const std::vector<Instruction>& program, Instruction::Op op) {
  return static_cast<int>(std::count_if(program.begin(), program.end(),
                                        [&](const Instruction& step) { return step.op == op; }));
}

/// How many outputs take over the RAM of an input.
inline int takes_over(const std::vector<Instruction>& program) {
  return static_cast<int>(
      std::count_if(program.begin(), program.end(),
                    [](const Instruction& step) { return step.over.has_value(); }));
}

/// A GELU needs its input for its gradient, so nothing may be computed over that. `gate` reads the
/// output of `a` as well, which therefore gets two gradients.
inline ExecutedStep gated_step() {
  return file_step(exact_text("[2, 4]", R"(
      {"name": "first", "op": "linear", "inputs": ["input"], "out_features": 4},
      {"name": "a", "op": "linear", "inputs": ["first"], "out_features": 4},
      {"name": "gelu", "op": "gelu", "inputs": ["a"]},
      {"name": "gate", "op": "mul", "inputs": ["gelu", "a"]},
      {"name": "relu", "op": "relu", "inputs": ["gate"]},
      {"name": "fc", "op": "linear", "inputs": ["relu"], "out_features": 4},
      {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 4})"));
}

}  // namespace poet::test
