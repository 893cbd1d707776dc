#pragma once

#include <string>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"

namespace poet {

inline Graph graph_of(const std::string& model, const std::string& platform_name) {
  const Platform platform = load_platform(platform_name);
  return cost_graph(load_model(model), &platform);
}

/// A built-in model on a built-in platform, with the runtime budget as a multiple of one pass.
inline Problem instance(const std::string& model, const std::string& platform, Bytes ram,
                        double runtime_ratio) {
  Problem problem{.graph = graph_of(model, platform)};
  problem.limits = {
      .ram_budget_bytes = ram,
      .runtime_budget_seconds = runtime_ratio * baseline(problem.graph).runtime_seconds};
  return problem;
}

}  // namespace poet
