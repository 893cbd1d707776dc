// The square root of the number of layers as segments: Chen et al., "Training Deep Nets with
// Sublinear Memory Cost", 2016, section 4.1. One segment is alive beside the checkpoints, so that n
// layers take memory in the order of sqrt(n), for at most one more forward pass.
//
// The paper's network is a chain. Here layers are counted between cut nodes, as in Checkmate's
// comparison (Jain et al., MLSys 2020, section 6.2), and the last segment is not computed again, as
// in PyTorch's checkpoint_sequential.

#include <cmath>

#include <fmt/format.h>

#include "baselines/checkpoints.hpp"
#include "baselines/method.hpp"

namespace poet {

Attempt chen_sqrt(const Problem& problem) {
  const std::vector<int> cuts = cut_nodes(problem.graph);
  const int count = static_cast<int>(cuts.size());
  const int segments = std::max(1, static_cast<int>(std::lround(std::sqrt(count))));
  std::vector<int> checkpoints;
  for (int s = 1; s < segments; ++s) checkpoints.push_back(cuts[s * count / segments - 1]);
  return {.schedule = checkpointed(problem.graph, checkpoints),
          .reason = {},
          .parameter = fmt::format("{} segments of {} layers", segments, count)};
}

}  // namespace poet
