#include <array>
#include <string>
#include <utility>
#include <vector>

#include "instance.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"

namespace poet::bench {
namespace {

/// Of the way from the working set, below which nothing is possible, to the baseline's peak, from
/// which on nothing has to be done.
constexpr std::array kPercentages{0, 2, 5, 10, 15, 20, 30, 40, 50, 70, 90};
constexpr std::array kRuntimeRatios{1.05, 3.0};
/// Likewise, for a sample that shares no point with the grid.
constexpr std::array kPercentagesBetween{1, 3, 7, 12, 17, 25, 35, 45, 60, 80, 95};
constexpr std::array kRuntimeRatiosBetween{1.2, 2.0};
constexpr std::array kSmallModels{"linear", "transformer", "vgg16_cifar"};

// The strides of samples have no common factor with the eleven budgets: a model meets ten of them,
// each once, over its five platforms and two runtime budgets.
constexpr std::size_t kModelStride = 3;
constexpr std::size_t kRuntimeStride = 5;

/// What a sample chooses from.
struct Budgets {
  std::array<int, 11> percentages;
  std::array<double, 2> runtimes;
};

/// A model on a platform, ready to be given budgets.
class Pair {
 public:
  Pair(std::string model, std::string platform)
      : model_(std::move(model)), platform_(std::move(platform)) {
    const Platform board = load_platform(platform_);
    const Graph graph = cost_graph(load_model(model_), &board);
    least_ = working_set(graph).bytes;
    range_ = baseline(graph).peak_ram_bytes - least_;
  }

  Instance at(int percentage, double runtime_ratio) const {
    return {model_, platform_, least_ + range_ / 100 * percentage, runtime_ratio};
  }

 private:
  std::string model_;
  std::string platform_;
  Bytes least_ = 0;
  Bytes range_ = 0;
};

void add_all(const Pair& pair, const std::vector<int>& percentages,
             std::vector<Instance>& instances) {
  for (const int percentage : percentages) {
    for (const double ratio : kRuntimeRatios) instances.push_back(pair.at(percentage, ratio));
  }
}

}  // namespace

namespace {

/// The models that POET published: figures are compared from version to version.
std::vector<std::string> poet_models() {
  std::vector<std::string> models = builtin_models();
  std::erase_if(models, [](const std::string& name) {
    return load_model(name).backward != Backward::poet_chain;
  });
  return models;
}

/// Likewise the platforms.
std::vector<std::string> poet_platforms() {
  return {"a72", "a72nocache", "jetsontx2", "m0", "m4"};
}

}  // namespace

std::vector<Instance> grid_instances(bool quick) {
  std::vector<Instance> instances;
  if (quick) {
    for (const char* model : kSmallModels) {
      for (const char* platform : {"m4", "a72"}) {
        add_all(Pair(model, platform), {0, 20, 50}, instances);
      }
    }
    return instances;
  }
  for (const std::string& model : poet_models()) {
    for (const std::string& platform : poet_platforms()) {
      add_all(Pair(model, platform), {kPercentages.begin(), kPercentages.end()}, instances);
    }
  }
  return instances;
}

namespace {

/// One point for every model, platform and runtime budget.
std::vector<Instance> sample_of(const Budgets& budgets, bool quick) {
  std::vector<std::string> models = poet_models();
  if (quick) models.assign(kSmallModels.begin(), kSmallModels.end());
  const std::vector<std::string> platforms = poet_platforms();
  std::vector<Instance> instances;
  for (std::size_t m = 0; m < models.size(); ++m) {
    for (std::size_t p = 0; p < platforms.size(); ++p) {
      const Pair pair(models[m], platforms[p]);
      for (std::size_t r = 0; r < budgets.runtimes.size(); ++r) {
        const std::size_t share = kModelStride * m + p + kRuntimeStride * r;
        instances.push_back(
            pair.at(budgets.percentages[share % budgets.percentages.size()], budgets.runtimes[r]));
      }
    }
  }
  return instances;
}

}  // namespace

std::vector<Instance> sample_instances(bool quick) {
  return sample_of({kPercentages, kRuntimeRatios}, quick);
}

std::vector<Instance> second_sample_instances(bool quick) {
  std::vector<Instance> instances = sample_of({kPercentagesBetween, kRuntimeRatiosBetween}, quick);
  for (Instance& instance : instances) instance.solver_seed = 2;
  return instances;
}

}  // namespace poet::bench
