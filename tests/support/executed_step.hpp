#pragma once

#include <string>
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

inline ExecutedStep executed_step(Model model, Formulas formulas) {
  const Platform platform = load_platform("m4");
  Graph graph = cost_graph(model, &platform);
  Outcome expected = by_definition(formulas);
  return {std::move(model), std::move(graph), std::move(formulas), std::move(expected)};
}

inline ExecutedStep builtin_step(const std::string& name) {
  Model model = load_model(name, 1, Backward::exact);
  Formulas formulas = builtin_formulas(model);
  return executed_step(std::move(model), std::move(formulas));
}

/// That of a model of these layers.
inline ExecutedStep tiny_step(const std::string& shape, const std::string& layers) {
  Model model = exact_model(shape, layers);
  Formulas formulas = step_formulas(nlohmann::json::parse(exact_text(shape, layers)), model);
  return executed_step(std::move(model), std::move(formulas));
}

/// A GELU needs its input for its gradient, so nothing may be computed over that. `gate` reads the
/// output of `a` as well, which therefore gets two gradients.
inline ExecutedStep gated_step() {
  return tiny_step("[2, 4]", R"(
      {"name": "first", "op": "linear", "inputs": ["input"], "out_features": 4},
      {"name": "a", "op": "linear", "inputs": ["first"], "out_features": 4},
      {"name": "gelu", "op": "gelu", "inputs": ["a"]},
      {"name": "gate", "op": "mul", "inputs": ["gelu", "a"]},
      {"name": "relu", "op": "relu", "inputs": ["gate"]},
      {"name": "fc", "op": "linear", "inputs": ["relu"], "out_features": 4},
      {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 4})");
}

}  // namespace poet::test
