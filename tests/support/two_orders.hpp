#pragma once

#include <string>
#include <utility>
#include <vector>

#include "poet/sweep.hpp"
#include "support/unit_node.hpp"

namespace poet::test {

// a(100) -> b(10) -> c(100) -> d(10), and e(10), which reads a; f(10) reads d and e. Each costs a
// joule and a second, each transfer two joules. In the given order e comes after d, so that a is
// kept beside c, 210 bytes, or computed again, 7 J in 120 bytes. Early, right after b, e ends what
// a is kept for: 6 J in 120 bytes, without any recomputation.

inline const NodeOrder kEarly{0, 1, 4, 2, 3, 5};
/// One more legal order: e after c.
inline const NodeOrder kBetween{0, 1, 2, 4, 3, 5};

inline Subject two_orders() {
  Subject subject{.model = {.name = "two", .source = "built-in", .sha256 = "ab"}};
  subject.model.backward = Backward::explicit_nodes;
  std::vector<Node> nodes{unit_node("a", 100, {}, 2),  unit_node("b", 10, {0}, 2),
                          unit_node("c", 100, {1}, 2), unit_node("d", 10, {2}, 2),
                          unit_node("e", 10, {0}, 2),  unit_node("f", 10, {3, 4}, 2)};
  for (const Node& node : nodes) {
    subject.model.nodes.push_back({.name = node.name, .op = "custom", .inputs = node.inputs});
  }
  subject.graph = make_graph(std::move(nodes));
  subject.base = baseline(subject.graph);
  return subject;
}

/// The same as a model file.
inline std::string two_orders_text() {
  const Graph graph = two_orders().graph;
  std::string nodes;
  for (const Node& node : graph.nodes) {
    std::string inputs;
    for (const int input : node.inputs) {
      inputs += (inputs.empty() ? "\"" : ", \"") + graph.nodes[input].name + "\"";
    }
    nodes += (nodes.empty() ? "" : ", ") + std::string(R"({"name": ")") + node.name +
             R"(", "bytes": )" + std::to_string(node.bytes) +
             R"(, "runtime_seconds": 1, "energy_joules": 1, "page_in_energy_joules": 2, )" +
             R"("page_out_energy_joules": 2, "inputs": [)" + inputs + "]}";
  }
  return R"({"format": "poet-model", "version": 1, "name": "two", "nodes": [)" + nodes + "]}";
}

/// In the given order: a again for e. 7 J, 7 s, 120 bytes.
inline Schedule a_again() {
  return {.stages = {{.compute = {0}},
                     {.resident = {0}, .compute = {1}},
                     {.resident = {1}, .compute = {2}},
                     {.resident = {2}, .compute = {3}},
                     {.resident = {3}, .compute = {0, 4}},
                     {.resident = {3, 4}, .compute = {5}}}};
}

/// In the given order: a out and in again. 10 J, 6 s, 120 bytes.
inline Schedule a_paged() {
  return {.stages = {{.compute = {0}},
                     {.resident = {0}, .compute = {1}, .page_out = {0}},
                     {.resident = {1}, .compute = {2}},
                     {.resident = {2}, .compute = {3}, .page_in = {0}},
                     {.resident = {0, 3}, .compute = {4}},
                     {.resident = {3, 4}, .compute = {5}}}};
}

/// In the early order, every node once: 6 J, 6 s, 120 bytes.
inline OrderedSchedule early_once() {
  return {baseline(permuted(two_orders().graph, kEarly)).schedule, kEarly};
}

/// In the early order, a is computed again for e although it could be kept: 7 J, 7 s, 120 bytes.
inline OrderedSchedule early_again() {
  Schedule schedule = early_once().schedule;
  schedule.stages[2].resident = {1};
  schedule.stages[2].compute = {0, 2};
  return {schedule, kEarly};
}

}  // namespace poet::test
