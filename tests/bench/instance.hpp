#pragma once

#include <string>
#include <vector>

#include "poet/problem.hpp"
#include "poet/units.hpp"

namespace poet::bench {

/// One problem to solve: model and platform, the two budgets, and what is known of it.
struct Instance {
  std::string model;
  std::string platform;
  Bytes ram_bytes = 0;
  double runtime_ratio = 1;
  /// Extra energy of the best schedule known, in the digits given here; 0 where none is known.
  Joules best_extra_joules = 0;

  /// `resnet18_cifar/m4 737719 1.5x`
  std::string name() const;
};

/// The problem itself, for a built-in model and platform.
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

/// Part `part` of `count` (from 1): every `count`-th instance, so that each part gets some of
/// every kind.
std::vector<Instance> shard(const std::vector<Instance>& instances, int part, int count);

}  // namespace poet::bench
