#include "instance.hpp"

#include <optional>

#include <fmt/format.h>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "synthetic.hpp"

namespace poet::bench {

namespace {

std::optional<Backward> backward_of(Kind kind) {
  switch (kind) {
    case Kind::exact:
      return Backward::exact;
    case Kind::inference:
      return Backward::none;
    case Kind::chain:
    case Kind::layered:
      break;
  }
  return std::nullopt;  // as the model's file says
}

Problem layered_problem(const Instance& instance) {
  Problem problem{.graph = synthetic_graph(Family::far_reaching, instance.nodes,
                                           static_cast<std::uint64_t>(instance.graph_seed))};
  problem.limits = {.ram_budget_bytes = instance.ram_bytes,
                    .runtime_budget_seconds = resolve(RuntimeBudget{Ratio{instance.runtime_ratio}},
                                                      baseline(problem.graph)),
                    .techniques = kOnlyRemat};
  return problem;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::exact:
      return "exact";
    case Kind::inference:
      return "inference";
    case Kind::layered:
      return "layered";
    case Kind::chain:
      break;
  }
  return "chain";
}

std::string Instance::name() const {
  if (kind == Kind::layered) {
    return fmt::format("layered {} graph {} {} %", nodes, graph_seed, ram_percent);
  }
  const std::string point = fmt::format("{}/{} {} {}x", model, platform, ram_bytes, runtime_ratio);
  return kind == Kind::chain ? point : fmt::format("{} {}", kind_name(kind), point);
}

/// As poet-solve poses it with no options but budgets and --backward. The chain's problems are
/// POET's: no storage is full, and no transfer takes time.
Problem problem_of(const Instance& instance) {
  if (instance.kind == Kind::layered) return layered_problem(instance);
  const Platform platform = load_platform(instance.platform);
  const Model model = load_model(instance.model, 1, backward_of(instance.kind));
  Problem problem{.graph = cost_graph(model, &platform)};
  problem.limits = {.ram_budget_bytes = instance.ram_bytes,
                    .runtime_budget_seconds = resolve(RuntimeBudget{Ratio{instance.runtime_ratio}},
                                                      baseline(problem.graph))};
  if (instance.kind == Kind::exact) problem.limits.paging_time = PagingTime::blocking;
  if (instance.kind != Kind::chain) problem.limits.storage_budget_bytes = platform.storage_bytes;
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
