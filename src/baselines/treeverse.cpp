// The least number of steps that reverses a chain with s checkpoints: Griewank and Walther,
// "Algorithm 799: Revolve: An Implementation of Checkpointing for the Reverse or Adjoint Mode of
// Computational Differentiation", ACM TOMS 26(1), 2000; the recursion is Griewank's treeverse
// (1992). The l steps after a checkpoint are split at the step k that makes
//
//   P(l, s) = min over k of  k + P(l - k, s - 1) + P(k, s),    P(1, s) = 0
//
// the least, where P(l, 1) = l (l - 1) / 2. The initial state is one of the s.
//
// The paper's steps cost the same and its states have one size. Here s is what the RAM budget
// decides: every s is tried, and the one of least energy that fits is taken. The paper's reversal
// of a step makes its forward step once more; here the output of a step stays from one gradient to
// the next if both read it.

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "baselines/layer_chain.hpp"
#include "baselines/method.hpp"

namespace poet {
namespace {

/// Longer chains would take minutes, as every number of checkpoints is tried.
constexpr int kLongestChain = 500;

/// P(l, s) and the k that attains it, for all l up to `steps` and one s after the other.
class SplitTable {
 public:
  explicit SplitTable(int steps) : steps_(steps) {
    costs_.emplace_back(steps + 1);
    splits_.emplace_back(steps + 1, 1);
    for (int l = 1; l <= steps; ++l) {
      costs_[0][l] = static_cast<std::int64_t>(l) * (l - 1) / 2;
    }
  }

  /// Adds the row of one more checkpoint.
  void grow() {
    const std::vector<std::int64_t>& fewer = costs_.back();
    std::vector<std::int64_t> cost(steps_ + 1);
    std::vector<int> split(steps_ + 1, 1);
    for (int l = 2; l <= steps_; ++l) {
      cost[l] = std::numeric_limits<std::int64_t>::max();
      for (int k = 1; k < l; ++k) {
        const std::int64_t with_k = k + fewer[l - k] + cost[k];
        if (with_k >= cost[l]) continue;
        cost[l] = with_k;
        split[l] = k;
      }
    }
    costs_.push_back(std::move(cost));
    splits_.push_back(std::move(split));
  }

  /// The checkpoints between `from`, which is one, and `to`, the state before the first step that
  /// is to be reversed, if `count` more may be kept.
  std::vector<int> between(int from, int to, int count) const {
    std::vector<int> checkpoints;
    int left = to + 1 - from;
    for (; count > 0 && left > 1; --count) {
      const int k = splits_[std::min<std::size_t>(count, splits_.size() - 1)][left];
      from += k;
      left -= k;
      if (from < to) checkpoints.push_back(from);
    }
    return checkpoints;
  }

 private:
  int steps_;
  std::vector<std::vector<std::int64_t>> costs_;
  std::vector<std::vector<int>> splits_;
};

}  // namespace

Attempt treeverse(const Problem& problem) {
  const std::optional<LayerChain> chain = layer_chain(problem.graph);
  if (!chain) return Attempt::not_applicable("the forward pass is not a chain of layers");
  if (chain->steps() > kLongestChain) {
    return Attempt::not_applicable(fmt::format(
        "the chain has {} layers; its table is for {} at most", chain->steps(), kLongestChain));
  }
  const int end = first_reversal(problem.graph, *chain);
  SplitTable table(chain->steps() + 1);
  BestAttempt best(problem);
  for (int count = 1; count <= std::max(1, end); ++count) {
    if (count > 1) table.grow();
    std::vector<Snapshot> first;
    for (const int at : table.between(0, end, count - 1)) first.push_back({.position = at});
    const SnapshotRule rule = [&](int from, int to, const std::vector<int>& kept) {
      return table.between(from, to, count - static_cast<int>(kept.size()));
    };
    best.offer(reverse_chain(problem.graph, *chain, first, rule),
               fmt::format("{} checkpoints for {} steps", count, chain->steps()));
  }
  return std::move(best).take("no checkpoints can be kept");
}

}  // namespace poet
