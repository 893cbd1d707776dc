// Segments of about equal bytes: Chen et al., "Training Deep Nets with Sublinear Memory Cost",
// 2016, Algorithm 3. A segment ends at the first cut node at which its outputs have more than b
// bytes. The paper guesses b from a first run and tries six values around it; here the values go
// from the smallest tensor to the whole forward pass, and the schedule of least energy within the
// budgets is taken.

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "baselines/checkpoints.hpp"
#include "baselines/method.hpp"

namespace poet {
namespace {

/// Sizes that are tried, at equal ratios.
constexpr int kSegmentSizes = 64;

std::vector<int> greedy_checkpoints(const Graph& graph, const std::vector<int>& cuts, double size) {
  std::vector<int> checkpoints;
  double bytes = 0;
  for (int i = 0; i < graph.first_backward; ++i) {
    bytes += static_cast<double>(graph.nodes[i].bytes);
    if (bytes <= size || !std::binary_search(cuts.begin(), cuts.end(), i)) continue;
    checkpoints.push_back(i);
    bytes = 0;
  }
  return checkpoints;
}

}  // namespace

Attempt chen_greedy(const Problem& problem) {
  const Graph& graph = problem.graph;
  const std::vector<int> cuts = segment_ends(graph);
  double all = 0;
  for (int i = 0; i < graph.first_backward; ++i) all += static_cast<double>(graph.nodes[i].bytes);
  BestAttempt best(problem);
  std::set<std::vector<int>> tried;
  for (int n = 0; n < kSegmentSizes; ++n) {
    const double size = std::pow(all + 1, static_cast<double>(n) / (kSegmentSizes - 1)) - 1;
    const std::vector<int> checkpoints = greedy_checkpoints(graph, cuts, size);
    if (!tried.insert(checkpoints).second) continue;
    best.offer(
        checkpointed(graph, checkpoints),
        fmt::format("{} checkpoints, segments above {:.0f} bytes", checkpoints.size(), size));
  }
  return std::move(best).take("no segments can be computed again");
}

// The square root of the number of layers as segments: Chen et al., "Training Deep Nets with
// Sublinear Memory Cost", 2016, section 4.1. One segment is alive beside the checkpoints, so that n
// layers take memory in the order of sqrt(n), for at most one more forward pass.
//
// The paper's network is a chain. Here layers are counted between cut nodes, as in Checkmate's
// comparison (Jain et al., MLSys 2020, section 6.2), and the last segment is not computed again, as
// in PyTorch's checkpoint_sequential.

Attempt chen_sqrt(const Problem& problem) {
  const std::vector<int> cuts = segment_ends(problem.graph);
  const int count = static_cast<int>(cuts.size());
  const int segments = std::max(1, static_cast<int>(std::lround(std::sqrt(count))));
  std::vector<int> checkpoints;
  for (int s = 1; s < segments; ++s) checkpoints.push_back(cuts[s * count / segments - 1]);
  return {.schedule = checkpointed(problem.graph, checkpoints),
          .reason = {},
          .parameter = fmt::format("{} segments of {} layers", segments, count)};
}

}  // namespace poet
