#include "baselines/method.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

// What is the same for all methods stands in docs/baselines.md: time and memory follow our costs
// and our rules, and a stage computes no node twice.
constexpr std::array kMethods{
    MethodInfo{Method::keep_all, "keep-all", kNoTechnique,
               "checkpoint all: Jain et al., Checkmate, MLSys 2020, section 6.2", "nothing",
               keep_all},
    MethodInfo{Method::chen_sqrt, "chen-sqrt", kOnlyRemat,
               "Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016, section 4.1",
               "segments end at nodes that no edge leads past; the last segment is kept",
               chen_sqrt},
    MethodInfo{
        Method::chen_greedy, "chen-greedy", kOnlyRemat,
        "Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016, Algorithm 3",
        "as chen-sqrt; 64 segment sizes are tried, not six, and the one of least energy that "
        "fits is taken",
        chen_greedy},
    MethodInfo{Method::budget_greedy, "budget-greedy", kOnlyRemat,
               "PyTorch, activation memory budget, torch._functorch.partitioners, 2024: greedy "
               "knapsack",
               "the things are all tensors that gradients read, as no kernels are fused; 49 "
               "shares are tried, and the one of least energy that fits is taken",
               budget_greedy},
    MethodInfo{Method::budget_dp, "budget-dp", kOnlyRemat,
               "PyTorch, activation memory budget, torch._functorch.partitioners, 2024: dynamic "
               "program",
               "as budget-greedy; sizes in 1/1000 of the budget", budget_dp},
    MethodInfo{Method::page_all, "page-all", kOnlyPaging,
               "vDNN_all: Rhu et al., vDNN, MICRO 2016, section 3.2",
               "every tensor that is idle for long enough is moved, not the inputs of layers only",
               page_all},
    MethodInfo{Method::look_ahead, "look-ahead", kOnlyPaging,
               "Moon et al., NNTrainer: Light-Weight On-Device Training Framework, 2022",
               "numbers of operators from 0 on are tried, and the one of least energy that fits is "
               "taken",
               look_ahead},
    MethodInfo{Method::capuchin_like, "capuchin-like", kBothTechniques,
               "Peng et al., Capuchin, ASPLOS 2020, section 4",
               "accesses are the baseline's and not measured; a swap belongs to one stage; "
               "candidates are taken until the replayed peak fits",
               capuchin_like},
    MethodInfo{Method::dtr_like, "dtr-like", kOnlyRemat,
               "Kirisame et al., Dynamic Tensor Rematerialization, ICLR 2021, section 3",
               "evictions take place between two stages, for what the next one needs", dtr_like},
    MethodInfo{Method::checkmate, "checkmate", kOnlyRemat,
               "Jain et al., Checkmate, MLSys 2020, section 4",
               "least energy in place of least time; our solver without paging", nullptr},
    MethodInfo{Method::paging_only, "paging-only", kOnlyPaging,
               "the ablation of Patil et al., POET, ICML 2022, section 5",
               "our solver without recomputation", nullptr},
    MethodInfo{Method::order_only, "order-only", kNoTechnique,
               "Steiner et al., MODeL: Memory Optimizations for Deep Learning, ICML 2023",
               "a search for an order of least peak in place of a linear program; no offsets are "
               "part of it",
               nullptr},
    MethodInfo{
        Method::int8_all, "int8-all", kBothTechniques,
        "Liu et al., GACT: Activation Compressed Training for Generic Network "
        "Architectures, ICML 2022",
        "8 bits, with one scale for each plane or row; all tensors that may have a copy have "
        "one, and our solver does the rest",
        nullptr},
    MethodInfo{Method::poet, "poet", kBothTechniques, "Patil et al., POET, ICML 2022", "our solver",
               nullptr},
    MethodInfo{Method::poet_ordered, "poet-ordered", kBothTechniques,
               "Patil et al., POET, ICML 2022",
               "our search over the orders of nodes, and our solver in the order found", nullptr},
};

Method parse_method(std::string_view name) {
  const auto at = std::find_if(kMethods.begin(), kMethods.end(),
                               [&](const MethodInfo& info) { return info.name == name; });
  if (at != kMethods.end()) return at->method;
  std::vector<std::string_view> names;
  names.reserve(kMethods.size());
  for (const MethodInfo& info : kMethods) names.push_back(info.name);
  throw InputError(
      fmt::format("found '{}'; expected a method{}", printable(name), did_you_mean(name, names)));
}

}  // namespace

std::span<const MethodInfo> all_methods() {
  return kMethods;
}

const MethodInfo& info_of(Method method) {
  return kMethods[static_cast<std::size_t>(method)];
}

std::vector<Method> parse_methods(std::string_view text) {
  std::vector<Method> methods;
  if (text == "all") {
    for (const MethodInfo& info : kMethods) methods.push_back(info.method);
    return methods;
  }
  for (const std::string& name : parse_names(text)) methods.push_back(parse_method(name));
  return methods;
}

}  // namespace poet
