#include "certify/proof_counts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace poet {
namespace {

constexpr double kAlike = 3;     // weight of nodes of like cost
constexpr double kSingle = 0.1;  // of one column
/// Of being in RAM, by the bytes: it costs nothing, so it comes last.
constexpr double kInRam = 1e-9;
constexpr double kWhole = 1e-6;

}  // namespace

std::vector<ProofCount> proof_counts(const MomentModel& model) {
  std::vector<ProofCount> counts;
  std::map<std::string, ProofCount> alike;
  const auto add = [&](char fact, const std::vector<ProofColumn>& columns) {
    if (columns.empty()) return;
    const auto cost = static_cast<double>(model.cost(columns.front()));
    counts.push_back({.columns = columns, .weight = cost});
    for (const ProofColumn column : columns) {
      if (columns.size() > 1) counts.push_back({.columns = {column}, .weight = kSingle * cost});
    }
    ProofCount& group = alike[fmt::format("{} {:.1e}", fact, cost)];
    group.weight = kAlike * cost;
    group.columns.insert(group.columns.end(), columns.begin(), columns.end());
  };
  for (int i = 0; i < model.graph().size(); ++i) {
    std::vector<ProofColumn> recomputed;
    std::vector<ProofColumn> paged_in;
    for (const ProofInterval& interval : model.intervals()) {
      if (i > interval.stage) continue;
      if (interval.recomputed[i] >= 0) recomputed.push_back(interval.recomputed[i]);
      if (interval.paged_in[i] >= 0) paged_in.push_back(interval.paged_in[i]);
    }
    add('R', recomputed);
    add('I', paged_in);
    if (model.ever_paged()[i] >= 0) add('P', {model.ever_paged()[i]});
  }
  for (const auto& [key, group] : alike) {
    if (group.columns.size() > 1) counts.push_back(group);
  }
  const auto budget = static_cast<double>(model.problem().limits.ram_budget_bytes);
  for (const ProofInterval& interval : model.intervals()) {
    for (int i = 0; i < interval.stage; ++i) {
      const double size = static_cast<double>(model.node(i).bytes) / std::max(budget, 1.0);
      if (interval.in_ram[i] >= 0) {
        counts.push_back({.columns = {interval.in_ram[i]}, .weight = kInRam * size});
      }
      if (interval.first_written[i] >= 0) {
        counts.push_back({.columns = {interval.first_written[i]}, .weight = kInRam * size});
      }
    }
  }
  return counts;
}

std::vector<CountSplit> best_splits(std::span<const ProofCount> counts,
                                    std::span<const double> values, std::size_t most) {
  std::vector<std::pair<double, CountSplit>> found;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    double sum = 0;
    for (const ProofColumn column : counts[c].columns) sum += values[column];
    const double below = sum - std::floor(sum);
    const double distance = std::min(below, 1 - below);
    if (distance < kWhole) continue;
    const CountSplit split{.count = static_cast<int>(c),
                           .most = static_cast<std::int64_t>(std::floor(sum))};
    found.emplace_back(distance * counts[c].weight, split);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CountSplit> best;
  for (std::size_t f = 0; f < std::min(most, found.size()); ++f) best.push_back(found[f].second);
  return best;
}

}  // namespace poet
