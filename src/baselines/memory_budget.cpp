// What PyTorch does if it is given a budget for activations (`activation_memory_budget` of
// torch._functorch.config, since 2.4): a knapsack. The tensors of the forward pass that gradients
// read are its things, with their bytes as weight and the time to compute each of them again as
// worth. What does not fit is computed again in the backward pass, right before its first use
// there. Two of PyTorch's solvers are here: `greedy`, by time for each byte, and `dp`, the dynamic
// program over sizes in steps.
//
// The budget there is a share of the bytes of all these tensors, and not RAM. So all shares are
// tried, and the one of least energy within our budgets is taken; PyTorch leaves that to a user.
// Its choice of things by a minimum cut, which never saves what fuses into the kernel that reads
// it, has nothing to do here: no kernels are fused. A knapsack counts each thing by itself: neither
// that a recomputation needs other things that are gone, nor the RAM that it takes.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "baselines/method.hpp"
#include "baselines/residency.hpp"

namespace poet {
namespace {

constexpr int kShares = 48;           ///< of the bytes of all things, at equal steps
constexpr int kKnapsackSteps = 1000;  ///< sizes are multiples of the capacity over this

/// A tensor that the backward pass reads and that can be computed again.
struct Thing {
  int node = 0;
  int last_forward_use = 0;
  int first_backward_use = 0;
  double bytes = 0;
  Seconds seconds = 0;
};

std::vector<Thing> things_of(const Graph& graph) {
  const std::vector<bool> droppable = can_be_dropped(graph);
  std::vector<Thing> things;
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.backward || !droppable[i] || node.bytes == 0) continue;
    Thing thing{.node = i,
                .last_forward_use = i,
                .first_backward_use = -1,
                .bytes = static_cast<double>(node.bytes),
                .seconds = node.runtime_seconds};
    for (const int user : graph.users[i]) {
      if (!graph.nodes[user].backward) {
        thing.last_forward_use = std::max(thing.last_forward_use, user);
      } else if (thing.first_backward_use < 0) {
        thing.first_backward_use = user;
      }
    }
    // In an order that was chosen, a gradient may come before the last use of the forward pass.
    if (thing.first_backward_use > thing.last_forward_use + 1) things.push_back(thing);
  }
  return things;
}

/// Which things are saved.
using Saved = std::vector<bool>;

Saved greedy_knapsack(const std::vector<Thing>& things, double capacity) {
  std::vector<std::size_t> order(things.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return things[a].seconds * things[b].bytes > things[b].seconds * things[a].bytes;
  });
  Saved saved(things.size());
  double held = 0;
  for (const std::size_t k : order) {
    if (held + things[k].bytes > capacity) continue;
    held += things[k].bytes;
    saved[k] = true;
  }
  return saved;
}

/// Sizes are rounded up, so that what is chosen fits.
Saved dynamic_knapsack(const std::vector<Thing>& things, double capacity) {
  Saved saved(things.size());
  double all = 0;
  for (const Thing& thing : things) all += thing.bytes;
  if (all <= capacity) return Saved(things.size(), true);  // which a rounding would prevent
  if (!(capacity > 0)) return saved;
  std::vector<int> sizes;
  sizes.reserve(things.size());
  for (const Thing& thing : things) {
    const double steps = std::ceil(thing.bytes / capacity * kKnapsackSteps - 1e-9);
    sizes.push_back(static_cast<int>(std::min(steps, kKnapsackSteps + 1.0)));
  }
  std::vector<Seconds> worth(kKnapsackSteps + 1, 0);  // by room
  std::vector<std::vector<bool>> taken(things.size(), std::vector<bool>(kKnapsackSteps + 1));
  for (std::size_t k = 0; k < things.size(); ++k) {
    for (int room = kKnapsackSteps; room >= sizes[k]; --room) {
      const Seconds with = worth[room - sizes[k]] + things[k].seconds;
      if (with <= worth[room]) continue;
      worth[room] = with;
      taken[k][room] = true;
    }
  }
  int room = kKnapsackSteps;
  for (std::size_t k = things.size(); k-- > 0;) {
    if (!taken[k][room]) continue;
    saved[k] = true;
    room -= sizes[k];
  }
  return saved;
}

Attempt with_budget(const Problem& problem, Saved (*solve)(const std::vector<Thing>&, double)) {
  const Graph& graph = problem.graph;
  const std::vector<Thing> things = things_of(graph);
  double all = 0;
  for (const Thing& thing : things) all += thing.bytes;
  BestAttempt best(problem);
  std::set<Saved> tried;
  for (int share = kShares; share >= 0; --share) {
    // Without a rounding, the whole is the whole.
    const double capacity = share == kShares ? all : all * share / kShares;
    const Saved saved = solve(things, capacity);
    if (!tried.insert(saved).second) continue;
    Residency residency = keep_everything(graph);
    for (std::size_t k = 0; k < things.size(); ++k) {
      if (saved[k]) continue;
      residency.drop(things[k].node, things[k].last_forward_use + 1, things[k].first_backward_use);
    }
    best.offer(schedule_of(graph, residency),
               fmt::format("{:.3g} of the activations, {} of {} tensors",
                           static_cast<double>(share) / kShares,
                           std::count(saved.begin(), saved.end(), true), saved.size()));
  }
  return std::move(best).take("no tensor that gradients read can be computed again");
}

}  // namespace

Attempt budget_greedy(const Problem& problem) {
  return with_budget(problem, greedy_knapsack);
}

Attempt budget_dp(const Problem& problem) {
  return with_budget(problem, dynamic_knapsack);
}

}  // namespace poet
