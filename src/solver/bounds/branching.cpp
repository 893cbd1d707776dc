#include "solver/bounds/branching.hpp"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

/// What branching on a count can gain at least, as a share of the ceiling: less is CBC's work.
constexpr double kLeastGain = 1e-3;

/// How much rather to branch on a count of its kind: those of like nodes cut the problem in the
/// middle, that of one node is often a matter of symmetry, and a single column says little.
double preference(CountKind kind) {
  switch (kind) {
    case CountKind::like_nodes:
      return 3;
    case CountKind::one_node:
      return 1;
    case CountKind::one_column:
      break;
  }
  return 0.1;
}

}  // namespace

Branching choose_branching(const std::vector<Count>& counts, std::span<const double> values,
                           double ceiling) {
  Branching chosen;
  double best = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    double value = 0;
    for (const int column : counts[c].columns) value += values[column];
    const double fraction = value - std::floor(value);
    const double gain = counts[c].weight * std::min(fraction, 1 - fraction);
    if (gain < kLeastGain * ceiling) continue;
    const double score = gain * preference(counts[c].kind);
    if (score <= best) continue;
    best = score;
    chosen = {.count = static_cast<int>(c), .value = value};
  }
  return chosen;
}

}  // namespace poet
