#include "solver/formulation/rows_on_demand.hpp"

#include <algorithm>
#include <optional>

#include "solver/formulation/memory_rows.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

constexpr std::size_t kMomentsPerStage = 4;

/// Bytes of tensors in RAM while a stage runs, from one computation to the next.
class RunningBytes {
 public:
  RunningBytes(const Formulation& model, const Graph& graph, int t, std::span<const double> values)
      : model_(model), graph_(graph), t_(t), values_(values), bytes_(t + 1) {
    for (int i = 0; i < t; ++i) {
      bytes_[i] = bytes(0, i);
      sum_ += bytes_[i];
    }
  }

  /// Goes on to the moment when the stage computes k; moments ascend.
  double at(int k) {
    for (; node_ < k; ++node_) pass(node_, k);
    double sum = sum_ - bytes_[k] + own(k);
    const std::optional<int> taken = graph_.nodes[k].in_place;
    if (taken) sum += bytes(k, *taken) - bytes_[*taken];
    return sum;
  }

 private:
  double bytes(int k, int i) const {
    const Bytes size = graph_.nodes[i].bytes;
    if (size == 0) return 0;
    return static_cast<double>(size) * value_of(counted_during(model_, graph_, t_, k, i), values_);
  }

  double own(int k) const {
    const Node& node = graph_.nodes[k];
    return static_cast<double>(node.bytes) * value_of(model_.available(t_, k), values_) +
           static_cast<double>(node.workspace_bytes) * value_of(model_.compute(t_, k), values_);
  }

  /// Node j lies behind, so what is known of it and of its inputs changes.
  void pass(int j, int k) {
    update(j, k);
    if (!model_.windows.can_compute(t_, j)) return;
    for (const int i : graph_.nodes[j].inputs) update(i, k);
  }

  void update(int i, int k) {
    const double now = bytes(k, i);
    sum_ += now - bytes_[i];
    bytes_[i] = now;
  }

  const Formulation& model_;
  const Graph& graph_;
  int t_;
  std::span<const double> values_;
  std::vector<double> bytes_;
  double sum_ = 0;
  int node_ = 0;
};

}  // namespace

std::vector<double> bytes_at(const Formulation& model, const Graph& graph, int t,
                             std::span<const int> nodes, std::span<const double> values) {
  RunningBytes running(model, graph, t, values);
  std::vector<double> sums;
  sums.reserve(nodes.size());
  for (const int k : nodes) sums.push_back(running.at(k));
  return sums;
}

std::vector<int> fullest_of(const Formulation& model, const Graph& graph, int t,
                            std::span<const int> nodes, std::span<const double> values,
                            double share) {
  const std::vector<double> bytes = bytes_at(model, graph, t, nodes, values);
  std::vector<int> full;
  for (int c = 0; c < static_cast<int>(nodes.size()); ++c) {
    if (bytes[c] >= share * static_cast<double>(model.memory.ram_bytes)) full.push_back(c);
  }
  std::stable_sort(full.begin(), full.end(), [&](int a, int b) { return bytes[a] > bytes[b]; });
  if (full.size() > kMomentsPerStage) full.resize(kMomentsPerStage);
  return full;
}

RowsOnDemand::RowsOnDemand(const Formulation& model, const Graph& graph)
    : model_(model), graph_(graph) {
  stages_.push_back(0);
  if (!model.memory.on_demand) return;
  for (int t = 0; t < model.size(); ++t) {
    for (int k = 0; k < t; ++k) {
      if (model.windows.can_recompute(t, k)) nodes_.push_back(k);
    }
    stages_.push_back(static_cast<int>(nodes_.size()));
  }
}

std::pair<int, int> RowsOnDemand::computation(int index) const {
  const auto next = std::upper_bound(stages_.begin(), stages_.end(), index);
  return {static_cast<int>(next - stages_.begin()) - 1, nodes_[index]};
}

MilpRow RowsOnDemand::make(int number) const {
  const auto [t, k] = computation(number);
  std::optional<MilpRow> row = memory_row(model_, graph_, model_.milp.columns, t, k);
  if (!row) return {};
  scale_row(*row);
  return *std::move(row);
}

std::vector<int> RowsOnDemand::fullest(std::span<const double> values) const {
  std::vector<int> chosen;
  for (int t = 0; t + 1 < static_cast<int>(stages_.size()); ++t) {
    const std::span<const int> nodes{nodes_.data() + stages_[t], nodes_.data() + stages_[t + 1]};
    if (nodes.empty()) continue;
    for (const int c : fullest_of(model_, graph_, t, nodes, values, 1)) {
      chosen.push_back(stages_[t] + c);
    }
  }
  return chosen;
}

std::vector<NumberedRow> RowsOnDemand::violated(std::span<const double> values, double tolerance,
                                                const std::function<bool(int)>& skip) const {
  std::vector<NumberedRow> found;
  for (const int index : fullest(values)) {
    if (skip(index)) continue;
    MilpRow row = make(index);
    if (row.terms.empty()) continue;
    const double depth = excess(row, values) / norm(row);
    if (depth > tolerance) found.push_back({index, std::move(row), depth});
  }
  return found;
}

void add_rows_on_demand(const Formulation& model, const Graph& graph, Milp& milp) {
  if (!model.memory.on_demand) return;
  const std::span<const MilpColumn> own{milp.columns.data(), model.milp.columns.size()};
  for_each_computation(model, [&](int t, int k) {
    if (k == t) return;
    std::optional<MilpRow> row = memory_row(model, graph, own, t, k);
    if (!row) return;
    scale_row(*row);
    milp.rows.push_back(*std::move(row));
  });
}

}  // namespace poet
