#pragma once

#include <numeric>
#include <string>
#include <utility>

#include "poet/order.hpp"
#include "poet/question.hpp"
#include "poet/schedule_file.hpp"
#include "report/summary.hpp"
#include "support/exact_model.hpp"

namespace poet::test {

/// `e` and `f` are independent. In the model's list, f reads b last, so that e takes over c. With f
/// first, e reads b last and takes over that. f takes over b in both orders, of b and a.
inline const std::string kForkLayers = R"(
  {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 3},
  {"name": "b", "op": "linear", "inputs": ["a"], "out_features": 3},
  {"name": "c", "op": "linear", "inputs": ["a"], "out_features": 3},
  {"name": "e", "op": "add", "inputs": ["b", "c"]},
  {"name": "f", "op": "add", "inputs": ["b", "a"]},
  {"name": "s", "op": "add", "inputs": ["e", "f"]},
  {"name": "loss", "op": "mse", "inputs": ["s"]})";

inline std::string fork_text(const std::string& update = "fused") {
  return exact_text(R"(["N", 3])", kForkLayers, R"("update": ")" + update + R"(",)");
}

inline Subject fork_subject(const std::string& update = "fused") {
  return make_subject(parse_model(fork_text(update), "fork.json"), load_platform("m4"), {});
}

/// `b.index` is a forward node that nothing of the forward pass reads.
inline Subject pooling_subject() {
  const std::string layers = R"(
    {"name": "a", "op": "conv2d", "inputs": ["input"], "out_channels": 3, "kernel": 1},
    {"name": "b", "op": "max_pool2d", "inputs": ["a"], "kernel": 2},
    {"name": "d", "op": "relu", "inputs": ["b"]},
    {"name": "loss", "op": "mse", "inputs": ["d"]})";
  return make_subject(exact_model("[1, 3, 4, 4]", layers), load_platform("m4"), {});
}

inline NodeOrder given_order(const Graph& graph) {
  NodeOrder order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// The given order with two neighbours, by name, the other way round.
inline NodeOrder swapped(const Subject& subject, const std::string& first,
                         const std::string& second) {
  NodeOrder order = given_order(subject.graph);
  std::swap(order[index_of(subject.model, first)], order[index_of(subject.model, second)]);
  return order;
}

/// The given order with one node right behind another, by name.
inline NodeOrder moved_behind(const Subject& subject, const std::string& node,
                              const std::string& other) {
  NodeOrder order = given_order(subject.graph);
  const int index = index_of(subject.model, node);
  order.erase(order.begin() + index);
  const int at = index_of(subject.model, other);
  order.insert(order.begin() + at + (at < index ? 1 : 0), index);
  return order;
}

/// Every node once, and kept until its last use.
inline Schedule kept(const Graph& graph) {
  Schedule schedule;
  for (int t = 0; t < graph.size(); ++t) {
    Stage& stage = schedule.stages.emplace_back();
    for (int i = 0; i < t; ++i) {
      if (last_use(graph, i) >= t) stage.resident.push_back(i);
    }
    stage.compute = {t};
  }
  return schedule;
}

/// The file of that schedule, as a solve in the subject's order makes it.
inline ScheduleFile kept_file(const Subject& subject) {
  const RuntimeBudget runtime = Ratio{1.5};
  const Limits limits = limits_of(subject, kBothTechniques, runtime, subject.base.peak_ram_bytes);
  const SolveSettings settings{.order = subject.chosen ? OrderKind::stated : OrderKind::given};
  SolveResult result{.status = Status::optimal, .schedule = kept(subject.graph)};
  result.energy_joules = simulate(subject.graph, *result.schedule, limits).energy_joules;
  result.lower_bound_joules = result.energy_joules;
  result.statistics.formulation = "none";
  return make_schedule_file(subject.model, subject.platform_or_null(),
                            {.graph = subject.graph, .limits = limits},
                            make_request(limits, runtime, subject.stated_base(), settings), result);
}

}  // namespace poet::test
