#include "solver/bounds/counts.hpp"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace poet {
namespace {

class CountMaker {
 public:
  CountMaker(const Formulation& model, const Graph& graph, const ScaledMilp& scaled)
      : model_(model), graph_(graph), scaled_(scaled) {}

  std::vector<Count> run() {
    for (int i = 0; i < model_.size(); ++i) {
      const Node& node = graph_.nodes[i];
      add("compute", node.energy_joules, columns_of(model_.compute, i));
      add("page_in", node.page_in_energy_joules, columns_of(model_.page_in, i));
      if (!model_.paged[i].is_constant()) {
        add("page_out", node.page_out_energy_joules, {model_.paged[i].columns[0]});
      }
    }
    for (auto& [name, count] : classes_) {
      if (count.columns.size() > 1) counts_.push_back(std::move(count));
    }
    return std::move(counts_);
  }

 private:
  std::vector<int> columns_of(const QuantityGrid& grid, int i) const {
    std::vector<int> columns;
    for (int t = std::max(model_.scope.first_stage, i + 1); t < model_.size(); ++t) {
      if (!grid(t, i).is_constant()) columns.push_back(grid(t, i).columns[0]);
    }
    return columns;
  }

  void add(const char* kind, Joules energy, const std::vector<int>& columns) {
    const double weight = scaled_.to_units(energy);
    if (columns.empty() || weight <= 0) return;
    counts_.push_back({.kind = CountKind::one_node, .columns = columns, .weight = weight});
    for (const int column : columns) {
      if (columns.size() == 1) break;
      counts_.push_back({.kind = CountKind::one_column, .columns = {column}, .weight = weight});
    }
    Count& all = classes_[fmt::format("{} {:.2g}", kind, weight)];
    all.kind = CountKind::like_nodes;
    all.weight = weight;
    all.columns.insert(all.columns.end(), columns.begin(), columns.end());
  }

  const Formulation& model_;
  const Graph& graph_;
  const ScaledMilp& scaled_;
  std::vector<Count> counts_;
  std::map<std::string, Count> classes_;
};

}  // namespace

std::vector<Count> make_counts(const Formulation& model, const Graph& graph,
                               const ScaledMilp& scaled) {
  return CountMaker(model, graph, scaled).run();
}

}  // namespace poet
