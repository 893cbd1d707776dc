#include "support/order_rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "formats/read_inputs.hpp"

namespace poet::test {
namespace {

/// How often a name has been changed before each node of an order, and by whom.
struct Changes {
  std::map<std::string, std::vector<int>> by_name;       // nodes, in turn
  std::vector<std::vector<std::size_t>> seen_by_reader;  // by node, as its reads
};

Changes changes_in(const StepNodes& step, const NodeOrder& order) {
  Changes result;
  result.seen_by_reader.resize(step.size());
  for (const int node : order) {
    for (const std::string& name : step[node].reads) {
      result.seen_by_reader[node].push_back(result.by_name[name].size());
    }
    for (const std::string& name : step[node].changes) result.by_name[name].push_back(node);
  }
  return result;
}

NodeOrder identity(std::size_t size) {
  NodeOrder order(size);
  for (std::size_t p = 0; p < size; ++p) order[p] = static_cast<int>(p);
  return order;
}

class StepReader {
 public:
  StepReader(const Draft& draft, Update update)
      : draft_(draft), keeps_(update == Update::accumulate) {
    for (const NodeFormula& formula : draft.formulas) {
      if (is_update(formula) && !formula.operands.empty()) has_buffer_.insert(formula.parameters);
    }
  }

  StepNode read(std::size_t index) const {
    const NodeFormula& formula = draft_.formulas[index];
    StepNode node{.name = draft_.model.nodes[index].name};
    for (const FormulaOperand& operand : formula.operands) {
      if (operand.kind == FormulaOperand::Kind::tensor) node.tensors.push_back(operand.index);
      if (operand.kind == FormulaOperand::Kind::parameters)
        node.reads.push_back(name(operand.index));
    }
    if (formula.sum >= 0) node.tensors.push_back(formula.sum);
    if (formula.layer >= 0) {
      const DraftLayer& layer = draft_.layers[formula.layer];
      const std::vector<int>& groups = formula.output >= 0
                                           ? layer.exact.nodes[formula.output].parameters
                                           : layer.exact.steps[formula.step].parameters;
      for (const int group : groups) node.reads.push_back(name(layer.parameters[group]));
    }
    if (is_update(formula)) {
      node.changes.push_back(name(formula.parameters));
      if (formula.operands.empty()) node.changes.push_back("kept " + name(formula.parameters));
      return node;
    }
    // A gradient that no update reads is applied where it arises, or added to what is kept.
    if (formula.parameters >= 0 && !has_buffer_.contains(formula.parameters)) {
      node.changes.push_back(changed(formula.parameters));
    }
    if (formula.also >= 0) node.changes.push_back(changed(formula.also));
    return node;
  }

 private:
  static bool is_update(const NodeFormula& formula) {
    return formula.layer < 0 && formula.parameters >= 0;
  }
  const std::string& name(int parameters) const { return draft_.parameters[parameters].name; }
  std::string changed(int parameters) const { return (keeps_ ? "kept " : "") + name(parameters); }

  const Draft& draft_;
  bool keeps_;
  std::set<int> has_buffer_;
};

/// Appends what comes of a beginning.
class Enumeration {
 public:
  Enumeration(const StepNodes& step, std::size_t most) : step_(step), most_(most) {
    // Which nodes a node waits for follows from what each of two may not pass.
    waits_for_.resize(step.size());
    const auto size = static_cast<int>(step.size());
    for (int later = 0; later < size; ++later) {
      for (const int tensor : step[later].tensors) waits_for_[later].insert(tensor);
      for (int earlier = 0; earlier < later; ++earlier) {
        if (conflict(step[earlier], step[later])) waits_for_[later].insert(earlier);
      }
    }
  }

  std::vector<NodeOrder> run() {
    extend();
    if (found_.size() > most_) found_.clear();
    return std::move(found_);
  }

 private:
  static bool share(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& name) {
      return std::find(b.begin(), b.end(), name) != b.end();
    });
  }
  static bool conflict(const StepNode& a, const StepNode& b) {
    return share(a.changes, b.changes) || share(a.changes, b.reads) || share(a.reads, b.changes);
  }

  void extend() {
    if (found_.size() > most_) return;
    if (order_.size() == step_.size()) return found_.push_back(order_);
    for (int node = 0; node < static_cast<int>(step_.size()); ++node) {
      const auto is_done = [&](int other) {
        return std::find(order_.begin(), order_.end(), other) != order_.end();
      };
      if (is_done(node)) continue;
      if (!std::all_of(waits_for_[node].begin(), waits_for_[node].end(), is_done)) continue;
      order_.push_back(node);
      extend();
      order_.pop_back();
    }
  }

  const StepNodes& step_;
  std::size_t most_;
  std::vector<std::set<int>> waits_for_;
  NodeOrder order_;
  std::vector<NodeOrder> found_;
};

auto figures(const Node& node) {
  return std::tie(node.name, node.op, node.bytes, node.runtime_seconds, node.energy_joules,
                  node.page_in_energy_joules, node.page_out_energy_joules, node.page_in_seconds,
                  node.page_out_seconds, node.backward, node.workspace_bytes, node.recompute,
                  node.page, node.storage_bytes, node.reads_parameters, node.writes_parameters);
}

}  // namespace

StepNodes step_nodes(const Draft& draft, Update update) {
  const StepReader reader(draft, update);
  StepNodes step;
  for (std::size_t k = 0; k < draft.formulas.size(); ++k) step.push_back(reader.read(k));
  return step;
}

StepNodes step_nodes(std::string_view model_file) {
  InputErrors errors;
  const ModelSpec spec = [&] {
    ModelSpec read = read_model(model_file, "order.json", errors);
    if (errors.empty()) ask_for_backward(read, Backward::exact);
    return read;
  }();
  errors.throw_if_any();
  const Draft draft = draft_exact(spec, 1, errors);
  errors.throw_if_any();
  return step_nodes(draft, spec.update);
}

OrderedModel ordered_model(std::string_view model_file, Update update, Optimizer optimizer) {
  InputErrors errors;
  ModelSpec spec = read_model(model_file, "order.json", errors);
  errors.throw_if_any();
  ask_for_backward(spec, Backward::exact);
  spec.update = update;
  spec.optimizer = optimizer;
  OrderedModel result{.model = build_model(spec, 1, errors)};
  const Draft draft = draft_exact(spec, 1, errors);
  errors.throw_if_any();
  result.step = step_nodes(draft, update);
  return result;
}

StepNodes step_nodes(const Graph& graph) {
  StepNodes step;
  for (const Node& node : graph.nodes) {
    step.push_back({.name = node.name,
                    .tensors = node.inputs,
                    .reads = node.reads_parameters,
                    .changes = node.writes_parameters});
  }
  return step;
}

std::string order_fault(const StepNodes& step, const NodeOrder& order) {
  NodeOrder sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != identity(step.size())) return "not each node once";
  std::vector<bool> is_done(step.size(), false);
  for (const int node : order) {
    for (const int tensor : step[node].tensors) {
      if (is_done[tensor]) continue;
      return fmt::format("{} comes before {}, which it reads", step[node].name, step[tensor].name);
    }
    is_done[node] = true;
  }
  const Changes given = changes_in(step, identity(step.size()));
  const Changes found = changes_in(step, order);
  for (const auto& [name, nodes] : given.by_name) {
    const std::vector<int>& others = found.by_name.at(name);
    const auto [was, is] = std::mismatch(nodes.begin(), nodes.end(), others.begin());
    if (was == nodes.end()) continue;
    return fmt::format("{} changes '{}' before {} does", step[*is].name, name, step[*was].name);
  }
  for (std::size_t k = 0; k < step.size(); ++k) {
    if (found.seen_by_reader[k] == given.seen_by_reader[k]) continue;
    return fmt::format("{} reads what has been changed in the meantime", step[k].name);
  }
  return "";
}

std::vector<NodeOrder> all_orders(const StepNodes& step, std::size_t most) {
  return Enumeration(step, most).run();
}

std::optional<int> taken_over(const Graph& given, const NodeOrder& order, int place) {
  const Node& node = given.nodes[order[place]];
  const auto is_read_behind = [&](int input) {
    return std::any_of(order.begin() + place + 1, order.end(), [&](int later) {
      const std::vector<int>& inputs = given.nodes[later].inputs;
      return std::find(inputs.begin(), inputs.end(), input) != inputs.end();
    });
  };
  for (const int choice : node.in_place_choices) {
    if (!is_read_behind(choice)) return choice;
  }
  return node.in_place_choices.empty() ? node.in_place : node.in_place_choices.front();
}

std::string permutation_fault(const Graph& given, const NodeOrder& order, const Graph& moved) {
  if (moved.size() != given.size()) return "another number of nodes";
  for (int p = 0; p < given.size(); ++p) {
    const Node& before = given.nodes[order[p]];
    const Node& after = moved.nodes[p];
    if (figures(before) != figures(after)) return "other figures of " + before.name;
    const auto sources = [&](std::vector<int> places) {
      for (int& place : places) place = order[place];
      return places;
    };
    std::vector<int> inputs = sources(after.inputs);
    std::sort(inputs.begin(), inputs.end());
    if (inputs != before.inputs) return "other inputs of " + before.name;
    if (sources(after.in_place_choices) != before.in_place_choices) {
      return "other choices of " + before.name;
    }
    std::optional<int> over = after.in_place;
    if (over) over = order[*over];
    if (over != taken_over(given, order, p)) return before.name + " takes over another input";
  }
  return "";
}

}  // namespace poet::test
