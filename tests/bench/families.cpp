// Samples of graphs that are no chains in POET's manner.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "instance.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "synthetic.hpp"

namespace poet::bench {
namespace {

constexpr std::array kRuntimeRatios{1.05, 3.0};

/// Far above what any schedule takes that is worth finding.
constexpr double kAmpleRuntime = 1000;

/// A point of a model on a platform; its RAM budget is this share of the way from the working set
/// to the baseline's peak.
Instance point_at(Instance instance, int percentage) {
  const Graph graph = problem_of(instance).graph;
  const Bytes least = working_set(graph).bytes;
  instance.ram_bytes = least + (baseline(graph).peak_ram_bytes - least) / 100 * percentage;
  return instance;
}

/// Budgets of which resnet18_cifar on m4 has been followed through many versions. They were 5, 20
/// and 40 % of the way for an earlier backward pass, and stay as they are.
void add_followed_points(std::vector<Instance>& instances) {
  for (const Bytes bytes : {264396, 467763, 738918}) {
    instances.push_back({"resnet18_cifar", "m4", bytes, 3, 0, Kind::exact});
  }
  instances.push_back(point_at(
      {.model = "resnet18_cifar", .platform = "m4", .runtime_ratio = 1.05, .kind = Kind::exact},
      70));
}

}  // namespace

std::vector<Instance> layered_instances(bool quick) {
  constexpr std::array kSizes{100, 250, 500, 1000};
  constexpr std::array kShares{90, 80, 60, 40};
  constexpr std::size_t kGraphs = 5;  // of each size
  constexpr std::size_t kPoints = 40;
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const std::size_t size = i % kSizes.size();
    // A graph comes up twice, at two shares.
    const std::size_t share = (i / kSizes.size() + size + i / (kPoints / 2)) % kShares.size();
    if (quick && size > 0) continue;
    Instance instance{.model = "layered",
                      .platform = "-",
                      .runtime_ratio = kAmpleRuntime,
                      .kind = Kind::layered,
                      .nodes = kSizes[size],
                      .graph_seed = static_cast<int>(1 + i % kGraphs),
                      .ram_percent = kShares[share]};
    const Bytes peak = baseline(problem_of(instance).graph).peak_ram_bytes;
    instance.ram_bytes = peak * instance.ram_percent / 100;
    instances.push_back(instance);
  }
  return instances;
}

std::vector<Instance> exact_instances(bool quick) {
  constexpr std::array kModels{"bert",     "gpt2_tiny", "mcunet_vww", "mobilenet_v2_035_96",
                               "resnet18", "resnet50",  "unet_small", "vgg16_cifar",
                               "vit_tiny"};
  // Nine; m4 has the points that are followed.
  constexpr std::array kPlatforms{"a72",    "a72nocache", "esp32s3",   "jetsontx2", "m0",
                                  "rp2040", "rpi5",       "stm32f746", "stm32h743"};
  constexpr std::array kPercentages{5, 20, 40, 70};
  std::vector<Instance> instances;
  add_followed_points(instances);
  if (quick) return instances;
  for (std::size_t m = 0; m < kModels.size(); ++m) {
    for (std::size_t s = 0; s < kPercentages.size(); ++s) {
      instances.push_back(point_at({.model = kModels[m],
                                    .platform = kPlatforms[(m + 2 * s) % kPlatforms.size()],
                                    .runtime_ratio = kRuntimeRatios[(m + s) % 2],
                                    .kind = Kind::exact},
                                   kPercentages[s]));
    }
  }
  return instances;
}

std::vector<Instance> inference_instances(bool quick) {
  constexpr std::array kModels{"bert", "gpt2_tiny", "unet_small", "vit_tiny"};
  constexpr std::array kPercentages{0, 25, 50, 75};
  const std::vector<std::string> platforms = builtin_platforms();
  std::vector<Instance> instances;
  for (std::size_t m = 0; m < kModels.size(); ++m) {
    const std::string model = kModels[m];
    if (quick && model != "unet_small") continue;
    for (std::size_t p = 0; p < platforms.size(); ++p) {
      const std::size_t point = platforms.size() * m + p;
      // Runtimes change after each round of budgets, so that they meet all of them.
      const std::size_t runtime = p / kPercentages.size() + m;
      instances.push_back(point_at({.model = model,
                                    .platform = platforms[p],
                                    .runtime_ratio = kRuntimeRatios[runtime % 2],
                                    .kind = Kind::inference},
                                   kPercentages[point % kPercentages.size()]));
    }
  }
  return instances;
}

}  // namespace poet::bench
