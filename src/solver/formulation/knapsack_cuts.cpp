#include <cstddef>
#include <optional>
#include <utility>

#include "solver/formulation/cuts.hpp"
#include "solver/formulation/knapsack_facet.hpp"
#include "solver/formulation/memory_rows.hpp"
#include "solver/formulation/row_builder.hpp"
#include "solver/formulation/rows_on_demand.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

/// The share of the budget from which on what fits together can be short of a moment.
constexpr double kFullMoment = 0.9;
/// What a stage must compute of a node for the moment to be worth a look.
constexpr double kComputed = 0.05;
constexpr double kViolation = 1e-3;  // as a distance

/// Whether tensor i is in RAM when stage t computes k.
BinaryExpression held(const Formulation& model, const Graph& graph, int t, int k, int i) {
  if (i != k) return counted_during(model, graph, t, k, i);
  return k == t ? BinaryExpression::one() : model.available(t, k);
}

std::vector<int> nodes_computed(const Formulation& model, int t, std::span<const double> values) {
  std::vector<int> nodes;
  for (int k = 0; k <= t; ++k) {
    if (model.windows.can_compute(t, k) && value_of(model.compute(t, k), values) >= kComputed) {
      nodes.push_back(k);
    }
  }
  return nodes;
}

/// The cut of one moment, if there is one.
std::optional<KnapsackCut> cut_at(const Formulation& model, const Graph& graph, int t, int k,
                                  std::span<const double> values) {
  std::vector<int> tensors;
  std::vector<double> point;
  Knapsack in_bytes{.capacity = model.memory.ram_bytes};
  if (k == t) in_bytes.capacity -= graph.nodes[t].workspace_bytes;
  for (int i = 0; i <= t; ++i) {
    const BinaryExpression expression = held(model, graph, t, k, i);
    if (expression.is_one()) {
      in_bytes.capacity -= graph.nodes[i].bytes;
    } else if (!expression.is_zero()) {
      tensors.push_back(i);
      in_bytes.weights.push_back(graph.nodes[i].bytes);
      point.push_back(value_of(expression, values));
    }
  }
  const std::optional<Knapsack> facet = violated_facet(in_bytes, point, kViolation);
  if (!facet) return std::nullopt;
  KnapsackCut cut{.stage = t, .node = k};
  cut.knapsack.capacity = facet->capacity;
  for (std::size_t j = 0; j < tensors.size(); ++j) {
    if (facet->weights[j] == 0) continue;
    cut.tensors.push_back(tensors[j]);
    cut.knapsack.weights.push_back(facet->weights[j]);
  }
  return cut;
}

}  // namespace

std::vector<KnapsackCut> separate_knapsacks(const Formulation& model, const Graph& graph,
                                            std::span<const double> values) {
  std::vector<KnapsackCut> cuts;
  for (int t = model.windows.first_stage; t < model.size(); ++t) {
    const std::vector<int> nodes = nodes_computed(model, t, values);
    for (const int c : fullest_of(model, graph, t, nodes, values, kFullMoment)) {
      if (auto cut = cut_at(model, graph, t, nodes[c], values)) cuts.push_back(*std::move(cut));
    }
  }
  return cuts;
}

MilpRow to_row(const Formulation& model, const Graph& graph, const KnapsackCut& cut) {
  const auto& [t, k, tensors, knapsack] = cut;
  RowBuilder builder("fits", t, k);
  for (std::size_t j = 0; j < tensors.size(); ++j) {
    builder.add(static_cast<double>(knapsack.weights[j]), held(model, graph, t, k, tensors[j]));
  }
  MilpRow row = builder.at_most_row(static_cast<double>(knapsack.capacity));
  scale_row(row);
  return row;
}

}  // namespace poet
