// What the search for proofs branches on. A relaxation moves a recomputation from one moment to the
// next at no cost, so that fixing a single column changes nothing; how often something happens at
// all is what it cannot hide (docs/formulation.md, "Branching on counts"). They are the full
// model's counts, over the columns of this one. Columns without a cost come last, so that a node
// whose counts are all whole can still be divided.

#include "solver/proof/proof_counts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace poet {
namespace {

/// Weight of a column that costs nothing, in units, if its tensor takes the whole budget.
constexpr double kOfNoCost = 1e-8;
constexpr double kWhole = 1e-6;

/// Being in RAM, or being written out, decides what is computed, so that it is rarely a choice of
/// its own.
void add_without_cost(const MomentModel& model, std::vector<Count>& counts) {
  const auto budget = static_cast<double>(model.problem().limits.ram_budget_bytes);
  const auto add = [&](ProofColumn column, int i) {
    if (column < 0) return;
    const double share = static_cast<double>(model.node(i).bytes) / std::max(budget, 1.0);
    counts.push_back(
        {.kind = CountKind::one_column, .columns = {column}, .weight = kOfNoCost * share});
  };
  for (const ProofInterval& interval : model.intervals()) {
    for (int i = 0; i < interval.stage; ++i) {
      add(interval.in_ram[i], i);
      add(interval.first_written[i], i);
    }
  }
}

}  // namespace

std::vector<Count> proof_counts(const MomentModel& model) {
  CountCollector collector;
  const auto add = [&](const char* fact, const std::vector<ProofColumn>& columns) {
    if (columns.empty()) return;
    collector.add(fact, static_cast<double>(model.cost(columns.front())), columns);
  };
  for (int i = 0; i < model.graph().size(); ++i) {
    std::vector<ProofColumn> recomputed;
    std::vector<ProofColumn> paged_in;
    for (const ProofInterval& interval : model.intervals()) {
      if (i > interval.stage) continue;
      if (interval.recomputed[i] >= 0) recomputed.push_back(interval.recomputed[i]);
      if (interval.paged_in[i] >= 0) paged_in.push_back(interval.paged_in[i]);
    }
    add("R", recomputed);
    add("I", paged_in);
    if (model.ever_paged()[i] >= 0) add("P", {model.ever_paged()[i]});
  }
  std::vector<Count> counts = std::move(collector).all();
  add_without_cost(model, counts);
  return counts;
}

// The score is how far a count is from whole, times what it costs: a cheap guess at what both sides
// will gain. The search looks at the best of them more closely.
std::vector<CountSplit> best_splits(std::span<const Count> counts, std::span<const double> values,
                                    std::size_t most) {
  std::vector<std::pair<double, CountSplit>> found;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    double sum = 0;
    for (const ProofColumn column : counts[c].columns) sum += values[column];
    const double below = sum - std::floor(sum);
    const double distance = std::min(below, 1 - below);
    if (distance < kWhole) continue;
    const CountSplit split{.count = static_cast<int>(c),
                           .most = static_cast<std::int64_t>(std::floor(sum))};
    found.emplace_back(distance * counts[c].weight * preference(counts[c].kind), split);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CountSplit> best;
  for (std::size_t f = 0; f < std::min(most, found.size()); ++f) best.push_back(found[f].second);
  return best;
}

}  // namespace poet
