#include "instance.hpp"

#include <fmt/format.h>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"

namespace poet::bench {
namespace {

/// Adds one model on one platform over all budgets. Percentages count from the working set, below
/// which nothing is possible, to the baseline's peak, from which on nothing has to be done.
void add_grid(const std::string& model, const std::string& platform,
              const std::vector<int>& percentages, std::vector<Instance>& instances) {
  const Platform board = load_platform(platform);
  const Graph graph = apply_platform(load_model(model), &board);
  const Bytes least = working_set(graph).bytes;
  const Bytes range = baseline(graph).peak_ram_bytes - least;
  for (const int percentage : percentages) {
    for (const double ratio : {1.05, 3.0}) {
      instances.push_back({model, platform, least + range / 100 * percentage, ratio});
    }
  }
}

}  // namespace

std::string Instance::name() const {
  return fmt::format("{}/{} {} {}x", model, platform, ram_bytes, runtime_ratio);
}

std::vector<Instance> named_instances(bool quick) {
  if (quick) {
    return {
        {"vgg16_cifar", "m4", 1200000, 3},
        {"resnet18_cifar", "a72", 737719, 3},
        {"resnet18_cifar", "a72", 3000000, 7.6},
        {"bert", "m4", 200000000, 3},
    };
  }
  return {
      {"resnet18_cifar", "m4", 737719, 1.5}, {"resnet18_cifar", "m4", 500000, 3},
      {"resnet18_cifar", "m4", 350000, 3},   {"resnet18_cifar", "a72", 737719, 3},
      {"resnet18_cifar", "a72", 350000, 3},  {"vgg16_cifar", "m4", 1200000, 3},
      {"bert", "m4", 200000000, 3},          {"bert", "a72", 100000000, 3},
      {"resnet18", "m4", 12000000, 3},       {"resnet50", "m4", 60000000, 3},
      {"resnet50", "m4", 47001011, 3},
  };
}

std::vector<Instance> grid_instances(bool quick) {
  std::vector<Instance> instances;
  if (quick) {
    for (const char* model : {"linear", "transformer", "vgg16_cifar"}) {
      for (const char* platform : {"m4", "a72"}) {
        add_grid(model, platform, {0, 20, 50}, instances);
      }
    }
    return instances;
  }
  for (const std::string& model : builtin_models()) {
    for (const std::string& platform : builtin_platforms()) {
      add_grid(model, platform, {0, 2, 5, 10, 15, 20, 30, 40, 50, 70, 90}, instances);
    }
  }
  return instances;
}

}  // namespace poet::bench
