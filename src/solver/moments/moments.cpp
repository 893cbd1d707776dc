#include "solver/moments/moments.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "solver/search/timeline.hpp"

namespace poet {
namespace {

/// By stage, the bytes that the baseline holds when it computes the stage's node (rule 5).
std::vector<Bytes> baseline_profile(const Graph& graph) {
  const int size = graph.size();
  std::vector<Bytes> change(size + 1, 0);
  for (int i = 0; i < size; ++i) {
    change[i] += graph.nodes[i].bytes;
    change[last_use(graph, i) + 1] -= graph.nodes[i].bytes;
  }
  std::vector<Bytes> profile(size);
  Bytes held = 0;
  for (int t = 0; t < size; ++t) {
    const Node& node = graph.nodes[t];
    held += change[t];
    const bool takes_over = node.in_place && last_use(graph, *node.in_place) == t;
    profile[t] = held + node.workspace_bytes - (takes_over ? node.bytes : 0);
  }
  return profile;
}

}  // namespace

std::vector<int> spread_moments(const Graph& graph, int first, int count) {
  const int stages = graph.size() - first;
  std::vector<int> moments;
  for (int m = 0; m < count; ++m) {
    const int moment = first + static_cast<int>(std::int64_t{m} * stages / count);
    if (moments.empty() || moments.back() != moment) moments.push_back(moment);
  }
  return moments;
}

std::vector<int> peak_moments(const Problem& problem, int count) {
  const std::vector<Bytes> profile = baseline_profile(problem.graph);
  std::vector<double> excess(profile.size());
  double area = 0;
  for (std::size_t t = 0; t < profile.size(); ++t) {
    excess[t] = std::max(0.0, static_cast<double>(profile[t] - problem.limits.ram_budget_bytes));
    area += excess[t];
  }
  std::vector<int> moments;
  double before = 0;  // the area of the stages so far
  int highest = -1;   // of the current part
  int part = 0;
  for (int t = 0; t < problem.graph.size(); ++t) {
    if (excess[t] == 0) continue;
    if (highest < 0 || excess[t] > excess[highest]) highest = t;
    before += excess[t];
    const int parts_passed = std::min(count, static_cast<int>(before / area * count + 1e-9));
    if (parts_passed <= part) continue;
    part = parts_passed;
    moments.push_back(highest);
    highest = -1;
  }
  if (highest >= 0) moments.push_back(highest);
  return moments;
}

std::vector<int> moments_against(const Problem& problem, const std::vector<int>& moments,
                                 const Schedule& point) {
  const WholeCosts costs(problem);
  Timeline timeline(costs);
  timeline.restore(entries_of(point));
  const RamProfile& ram = timeline.ram();
  std::set<int> all(moments.begin(), moments.end());
  int first = 0;
  for (std::size_t m = 0; m <= moments.size(); ++m) {
    const int end = m < moments.size() ? ram.first_of(moments[m] + 1) : ram.events();
    int highest = first;
    for (int event = first; event < end; ++event) {
      if (ram.ram(event) > ram.ram(highest)) highest = event;
    }
    if (first < end && ram.ram(highest) > ram.budget()) {
      const int stage = ram.stage_of_event(highest);
      all.insert(stage);
      if (ram.node(highest) != stage && stage > 0) all.insert(stage - 1);
    }
    first = end;
  }
  return {all.begin(), all.end()};
}

}  // namespace poet
