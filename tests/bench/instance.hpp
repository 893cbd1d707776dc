#pragma once

#include <string>
#include <vector>

#include "poet/units.hpp"

namespace poet::bench {

/// One problem to solve: built-in model and platform, and the two budgets.
struct Instance {
  std::string model;
  std::string platform;
  Bytes ram_bytes = 0;
  double runtime_ratio = 1;

  /// `resnet18_cifar/m4 737719 1.5x`
  std::string name() const;
};

/// Hand-picked problems of every size, with published or previously measured results to compare
/// with. `quick`: those that are settled in seconds.
std::vector<Instance> named_instances(bool quick);

/// Every built-in model on every platform, with RAM budgets between the working set and the
/// baseline's peak, and two runtime budgets. `quick`: the small models on two platforms.
std::vector<Instance> grid_instances(bool quick);

}  // namespace poet::bench
