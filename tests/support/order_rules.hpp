#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/exact/draft.hpp"
#include "poet/graph.hpp"
#include "poet/order.hpp"

namespace poet::test {

/// What one node of a training step does: the tensors that it reads, and what else it reads and
/// changes, by names: `W` for parameters with the state of their optimizer, `kept W` for a gradient
/// that is kept beside the graph.
struct StepNode {
  std::string name;
  std::vector<int> tensors{};  ///< nodes
  std::vector<std::string> reads{};
  std::vector<std::string> changes{};
};

/// A training step in the given order.
using StepNodes = std::vector<StepNode>;

/// By the formulas of a draft, and not by what its nodes are said to read and write.
StepNodes step_nodes(const Draft& draft, Update update);

/// Those of a model file.
StepNodes step_nodes(std::string_view model_file);

/// A model with what its nodes do.
struct OrderedModel {
  Model model;
  StepNodes step;
};

/// The exact training step of a model file, with another update and optimizer than it states.
OrderedModel ordered_model(std::string_view model_file, Update update, Optimizer optimizer);

/// Those of a graph that states what its nodes read and write.
StepNodes step_nodes(const Graph& graph);

/// What is wrong with an order, empty if nothing is: each node has to find the values that it finds
/// in the given order. So the tensors that it reads are there; what else it reads has been changed
/// as often as there; and whatever is changed is changed by the same nodes in turn.
std::string order_fault(const StepNodes& step, const NodeOrder& order);

/// All orders without a fault, in no particular order; none at all if there are more than `most`.
std::vector<NodeOrder> all_orders(const StepNodes& step, std::size_t most);

/// Which input the node at a place of an order takes over: the first choice that is read by no node
/// behind it, else the first.
std::optional<int> taken_over(const Graph& given, const NodeOrder& order, int place);

/// What is wrong with a graph that should be another one in this order, empty if nothing is.
std::string permutation_fault(const Graph& given, const NodeOrder& order, const Graph& moved);

}  // namespace poet::test
