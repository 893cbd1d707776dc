#include "solver/relaxation/counts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace poet {
namespace {

/// How much sooner to branch on a count than on a single column, which says little.
constexpr double kPreferenceOfCounts = 30;

/// By node, a number that the nodes in one place of equal blocks share, which have as many bytes as
/// each other and inputs and users whose numbers agree (colour refinement, by hashing). Few rounds
/// tell the blocks at the ends from the others.
std::vector<int> places_in_blocks(const Graph& graph) {
  constexpr int kRounds = 2;
  std::map<std::string, int> known;
  const auto number = [&](const std::string& text) {
    return known.try_emplace(text, static_cast<int>(known.size())).first->second;
  };
  std::vector<int> numbers;
  for (const Node& node : graph.nodes) numbers.push_back(number(fmt::format("{}", node.bytes)));
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<int> before = numbers;
    const auto sorted = [&](std::vector<int> nodes) {
      for (int& node : nodes) node = before[node];
      std::sort(nodes.begin(), nodes.end());
      return nodes;
    };
    for (int i = 0; i < graph.size(); ++i) {
      numbers[i] = number(fmt::format("{}: {} > {}", before[i],
                                      fmt::join(sorted(graph.nodes[i].inputs), " "),
                                      fmt::join(sorted(graph.users[i]), " ")));
    }
  }
  return numbers;
}

}  // namespace

CountCollector::CountCollector(const Graph& graph) : places_(places_in_blocks(graph)) {}

void CountCollector::add(std::string_view fact, int i, double weight,
                         const std::vector<int>& columns) {
  if (columns.empty()) return;
  counts_.push_back({.columns = columns, .weight = weight});
  if (columns.size() > 1) {
    for (const int column : columns) {
      counts_.push_back({.columns = {column}, .weight = weight, .is_one_column = true});
    }
  }
  const std::string like = fmt::format("{} {:.2g}", fact, weight);
  for (const std::string& nodes : {like, fmt::format("{} {}", like, places_[i])}) {
    Count& all = like_nodes_[nodes];
    all.weight = weight;
    all.columns.insert(all.columns.end(), columns.begin(), columns.end());
  }
}

std::vector<Count> CountCollector::all() && {
  std::set<std::vector<int>> known;
  for (const Count& count : counts_) known.insert(count.columns);
  for (auto& [nodes, count] : like_nodes_) {
    if (known.insert(count.columns).second) counts_.push_back(std::move(count));
  }
  return std::move(counts_);
}

std::vector<Count> make_counts(const Formulation& model, const Graph& graph,
                               const ScaledMilp& scaled) {
  CountCollector collector(graph);
  const auto add = [&](const char* fact, int i, Joules energy, const std::vector<int>& columns) {
    const double weight = scaled.to_units(energy);
    if (weight > 0) collector.add(fact, i, weight, columns);
  };
  for (int i = 0; i < model.size(); ++i) {
    const Node& node = graph.nodes[i];
    const auto columns_of = [&](const ExpressionGrid& grid) {
      std::vector<int> columns;
      for (int t = std::max(model.windows.first_stage, i + 1); t < model.size(); ++t) {
        if (!grid(t, i).is_constant()) columns.push_back(grid(t, i).columns[0]);
      }
      return columns;
    };
    add("compute", i, node.energy_joules, columns_of(model.compute));
    add("page_in", i, node.page_in_energy_joules, columns_of(model.page_in));
    if (!model.paged[i].is_constant()) {
      add("page_out", i, node.page_out_energy_joules, {model.paged[i].columns[0]});
    }
  }
  return std::move(collector).all();
}

std::vector<CountSplit> best_splits(std::span<const Count> counts, std::span<const double> values,
                                    const SplitLimits& limits) {
  std::vector<std::pair<double, CountSplit>> found;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    double value = 0;
    for (const int column : counts[c].columns) value += values[column];
    const double fraction = value - std::floor(value);
    const double distance = std::min(fraction, 1 - fraction);
    const double gain = counts[c].weight * distance;
    if (distance <= limits.distance || gain < limits.gain) continue;
    const CountSplit split{.count = static_cast<int>(c),
                           .most = static_cast<std::int64_t>(std::floor(value))};
    found.emplace_back(counts[c].is_one_column ? gain : kPreferenceOfCounts * gain, split);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CountSplit> best;
  for (std::size_t f = 0; f < std::min(limits.most, found.size()); ++f) {
    best.push_back(found[f].second);
  }
  return best;
}

MilpRow range_row(const std::vector<Count>& counts, const CountRange& range) {
  MilpRow row{
      .name = fmt::format("count_{}", range.count), .lower = range.lower, .upper = range.upper};
  for (const int column : counts[range.count].columns) row.terms.push_back({column, 1});
  return row;
}

std::vector<CountRange> merged(const std::vector<CountRange>& ranges) {
  std::vector<CountRange> result;
  for (const CountRange& range : ranges) {
    const auto known = std::find_if(result.begin(), result.end(), [&](const CountRange& other) {
      return other.count == range.count;
    });
    if (known == result.end()) {
      result.push_back(range);
    } else {
      known->lower = std::max(known->lower, range.lower);
      known->upper = std::min(known->upper, range.upper);
    }
  }
  return result;
}

}  // namespace poet
