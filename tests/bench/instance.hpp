#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "poet/problem.hpp"
#include "poet/units.hpp"

namespace poet::bench {

/// What the graph of a problem is. The best known and the summary go by these.
enum class Kind {
  chain,      ///< a built-in model with a backward pass in POET's manner
  exact,      ///< with an exact one: fused updates, and transfers that computing waits for
  inference,  ///< without one
  layered     ///< a random graph in layers, whose edges reach far; recomputation only
};

/// `chain`, `exact`, `inference` or `layered`.
std::string_view kind_name(Kind kind);

/// One problem to solve: model and platform, the two budgets, and what is known of it.
struct Instance {
  std::string model;
  std::string platform;
  Bytes ram_bytes = 0;
  double runtime_ratio = 1;
  /// Extra energy of the best schedule known, in the digits given here; 0 where none is known.
  Joules best_extra_joules = 0;
  Kind kind = Kind::chain;
  std::uint32_t solver_seed = 1;

  // Of layered graphs, which have neither model nor platform.
  int nodes = 0;
  int graph_seed = 0;
  int ram_percent = 0;  ///< of the baseline's peak; `ram_bytes` is what it comes to

  /// `resnet18_cifar/m4 737719 1.5x`, `exact bert/m4 60000000 3x`, `layered 500 graph 2 80 %`
  std::string name() const;
};

/// The problem itself, without its solver's seed. Throws InputError for an unknown model or
/// platform.
Problem problem_of(const Instance& instance);

/// Hand-picked problems of every size, with published or previously measured results to compare
/// with. `quick`: four of them, most of which are settled in seconds.
std::vector<Instance> named_instances(bool quick);

/// Every built-in model on every platform, with RAM budgets between the working set and the
/// baseline's peak, and two runtime budgets. `quick`: the small models on two platforms.
std::vector<Instance> grid_instances(bool quick);

/// One point of the grid for every model, platform and runtime budget, with a RAM budget that
/// changes from one to the next: every budget comes up about equally often. `quick`: the small
/// models only.
std::vector<Instance> sample_instances(bool quick);

/// Likewise, between the budgets of the first sample, and with another seed of the solver.
std::vector<Instance> second_sample_instances(bool quick);

/// Random graphs in layers of 100 to 1000 nodes, with RAM at 90, 80, 60 and 40 % of the baseline's
/// peak: 40 points, ten of each size and ten of each share. `quick`: those of 100 nodes.
std::vector<Instance> layered_instances(bool quick);

/// Ten built-in models with exact backward passes, each at four RAM budgets, the ten platforms four
/// times each. `quick`: resnet18_cifar.
std::vector<Instance> exact_instances(bool quick);

/// Four built-in models whose forward pass needs more RAM at its peak than one computation does,
/// on ten platforms: 40 points, ten with each of four RAM budgets. (A fifth, transformer, can read
/// its input again at no cost.) `quick`: unet_small.
std::vector<Instance> inference_instances(bool quick);

/// Part `part` of `count` (from 1): every `count`-th instance, so that each part gets some of
/// every kind.
std::vector<Instance> shard(const std::vector<Instance>& instances, int part, int count);

}  // namespace poet::bench
