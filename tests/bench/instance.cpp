#include "instance.hpp"

#include <fmt/format.h>

#include "poet/model.hpp"
#include "poet/platform.hpp"

namespace poet::bench {

std::string Instance::name() const {
  return fmt::format("{}/{} {} {}x", model, platform, ram_bytes, runtime_ratio);
}

Problem problem_of(const Instance& instance) {
  const Platform platform = load_platform(instance.platform);
  Problem problem{.graph = cost_graph(load_model(instance.model), &platform)};
  problem.limits = {.ram_budget_bytes = instance.ram_bytes,
                    .runtime_budget_seconds = resolve(RuntimeBudget{Ratio{instance.runtime_ratio}},
                                                      baseline(problem.graph))};
  return problem;
}

std::vector<Instance> named_instances(bool quick) {
  if (quick) {
    return {
        {"vgg16_cifar", "m4", 1200000, 3, 0.00710872},
        {"resnet18_cifar", "a72", 737719, 3, 0.0132759},
        {"resnet18_cifar", "a72", 3000000, 7.6},
        {"bert", "m4", 200000000, 3, 1.63951983},
    };
  }
  return {
      {"resnet18_cifar", "m4", 737719, 1.5, 0.00518101},
      {"resnet18_cifar", "m4", 737719, 1.05},
      {"resnet18_cifar", "m4", 737719, 1.02},
      {"resnet18_cifar", "m4", 737719, 1.01},
      {"resnet18_cifar", "m4", 590886, 3, 0.0240525},
      {"resnet18_cifar", "m4", 500000, 3, 0.0385721},
      {"resnet18_cifar", "m4", 481305, 3, 0.0411049},
      {"resnet18_cifar", "m4", 350000, 3, 0.0775398},
      {"resnet18_cifar", "a72", 737719, 3, 0.0132759},
      {"resnet18_cifar", "a72", 350000, 3, 0.0174399},
      {"resnet18_cifar", "a72nocache", 481305, 3, 0.0246895},
      {"vgg16_cifar", "m4", 1200000, 3, 0.00710872},
      {"bert", "m4", 200000000, 3, 1.63951983},
      {"bert", "m4", 137153740, 3, 3.4292974},
      {"bert", "m4", 31457280, 3, 16.947066},
      {"bert", "a72", 100000000, 3, 2.556556},
      {"resnet18", "m4", 12000000, 3, 0.0104569},
      {"resnet50", "m4", 60000000, 3, 0.0348187},
      {"resnet50", "m4", 47001011, 3, 0.0460288},
  };
}

std::vector<Instance> shard(const std::vector<Instance>& instances, int part, int count) {
  std::vector<Instance> chosen;
  for (std::size_t at = part - 1; at < instances.size(); at += count) {
    chosen.push_back(instances[at]);
  }
  return chosen;
}

}  // namespace poet::bench
