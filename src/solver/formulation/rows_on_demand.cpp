#include "solver/formulation/rows_on_demand.hpp"

#include <algorithm>
#include <optional>

#include "solver/formulation/memory_rows.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

/// Moments of a stage to look at in one round: the row of the fullest cuts off most of the others.
constexpr std::size_t kMomentsPerStage = 4;
/// The share of the budget from which on a rounded row may be violated where bytes fit.
constexpr double kNearlyFull = 0.75;

/// Bytes of tensors in RAM while a stage runs, from one computation to the next.
class RunningBytes {
 public:
  RunningBytes(const Formulation& model, const Graph& graph, int t, std::span<const double> values)
      : model_(model), graph_(graph), t_(t), values_(values), bytes_(t) {
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

RowsOnDemand::RowsOnDemand(const Formulation& model, const Graph& graph)
    : model_(model),
      graph_(graph),
      maker_(std::make_unique<MemoryRowMaker>(model, graph, model.milp.columns)) {
  stages_.push_back(0);
  if (!model.memory.on_demand) return;
  for (int t = 0; t < model.size(); ++t) {
    for (int k = 0; k < t; ++k) {
      if (model.windows.can_recompute(t, k)) nodes_.push_back(k);
    }
    stages_.push_back(static_cast<int>(nodes_.size()));
  }
}

RowsOnDemand::~RowsOnDemand() = default;

std::pair<int, int> RowsOnDemand::computation(int index) const {
  const auto next = std::upper_bound(stages_.begin(), stages_.end(), index);
  return {static_cast<int>(next - stages_.begin()) - 1, nodes_[index]};
}

MilpRow RowsOnDemand::make(int number) const {
  const auto [t, k] = computation(number / 2);
  MemoryRows rows = maker_->make(t, k);
  std::optional<MilpRow>& row = number % 2 == 0 ? rows.full : rows.core;
  if (!row) return {};
  scale_row(*row);
  return *std::move(row);
}

std::vector<int> RowsOnDemand::fullest(std::span<const double> values) const {
  const double least = kNearlyFull * static_cast<double>(model_.memory.ram_bytes);
  std::vector<int> chosen;
  for (int t = 0; t + 1 < static_cast<int>(stages_.size()); ++t) {
    const std::span<const int> nodes{nodes_.data() + stages_[t], nodes_.data() + stages_[t + 1]};
    if (nodes.empty()) continue;
    const std::vector<double> bytes = bytes_at(model_, graph_, t, nodes, values);
    std::vector<int> full;
    for (int c = 0; c < static_cast<int>(nodes.size()); ++c) {
      if (bytes[c] >= least) full.push_back(c);
    }
    std::stable_sort(full.begin(), full.end(), [&](int a, int b) { return bytes[a] > bytes[b]; });
    if (full.size() > kMomentsPerStage) full.resize(kMomentsPerStage);
    for (const int c : full) chosen.push_back(stages_[t] + c);
  }
  return chosen;
}

std::vector<NumberedRow> RowsOnDemand::violated(std::span<const double> values, double tolerance,
                                                const std::function<bool(int)>& skip) const {
  std::vector<NumberedRow> found;
  for (const int index : fullest(values)) {
    const auto [t, k] = computation(index);
    MemoryRows rows = maker_->make(t, k);
    const auto look = [&](int number, std::optional<MilpRow>& row) {
      if (!row || skip(number)) return;
      scale_row(*row);
      const double depth = excess(*row, values) / norm(*row);
      if (depth > tolerance) found.push_back({number, *std::move(row), depth});
    };
    look(2 * index, rows.full);
    look(2 * index + 1, rows.core);
  }
  return found;
}

void add_rows_on_demand(const Formulation& model, const Graph& graph, Milp& milp) {
  if (!model.memory.on_demand) return;
  const std::span<const MilpColumn> own{milp.columns.data(), model.milp.columns.size()};
  MemoryRowMaker maker(model, graph, own);
  for_each_computation(model, [&](int t, int k) {
    if (k == t) return;
    std::optional<MilpRow> row = maker.make(t, k).full;
    if (!row) return;
    scale_row(*row);
    milp.rows.push_back(*std::move(row));
  });
}

}  // namespace poet
