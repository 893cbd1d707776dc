#include "support/failing_case.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace poet::test {
namespace {

/// Failures can take long to reproduce; a smaller one is not worth an hour.
constexpr int kMostTrials = 4000;

/// A graph without one node; its users read what it read, or nothing in its place.
Graph without_node(const Graph& graph, int dropped, bool bridge) {
  std::vector<Node> nodes;
  for (int j = 0; j < graph.size(); ++j) {
    if (j == dropped) continue;
    Node node = graph.nodes[j];
    std::vector<int> inputs;
    for (const int input : node.inputs) {
      if (input != dropped) {
        inputs.push_back(input - (input > dropped ? 1 : 0));
      } else if (bridge) {
        const std::vector<int>& read = graph.nodes[dropped].inputs;
        inputs.insert(inputs.end(), read.begin(), read.end());
      }
    }
    node.inputs = std::move(inputs);
    nodes.push_back(std::move(node));
  }
  return make_graph(std::move(nodes));
}

/// With one significant digit.
double rounded(double value) {
  if (value == 0) return 0;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  return std::round(value / power) * power;
}

class Shrinker {
 public:
  Shrinker(Problem problem, const std::function<bool(const Problem&)>& fails)
      : best_(std::move(problem)), fails_(fails) {}

  Problem run() {
    bool smaller = true;
    while (smaller && trials_ < kMostTrials) {
      smaller = drop_nodes();
      smaller |= drop_edges();
      smaller |= simplify_limits();
      smaller |= halve_everything();
      smaller |= simplify_numbers();
    }
    return std::move(best_);
  }

 private:
  bool try_this(Problem candidate) {
    if (++trials_ > kMostTrials || !fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  /// Tries a change on a copy; the change returns false if it has no effect.
  template <typename Change>
  bool try_change(Change change) {
    Problem candidate = best_;
    return change(candidate) && try_this(std::move(candidate));
  }

  bool drop_nodes() {
    bool any = false;
    for (int k = best_.graph.size() - 1; k >= 0; --k) {
      for (const bool bridge : {false, true}) {
        for (const bool less_ram : {true, false}) {
          if (best_.graph.size() == 1 || k >= best_.graph.size()) continue;
          const Node& node = best_.graph.nodes[k];
          Problem candidate{.graph = without_node(best_.graph, k, bridge), .limits = best_.limits};
          candidate.limits.runtime_budget_seconds -= node.runtime_seconds;
          if (less_ram) candidate.limits.ram_budget_bytes -= node.bytes;
          if (candidate.limits.ram_budget_bytes < 1) continue;
          any |= try_this(std::move(candidate));
        }
      }
    }
    return any;
  }

  bool drop_edges() {
    bool any = false;
    for (int j = 0; j < best_.graph.size(); ++j) {
      for (std::size_t e = 0; e < best_.graph.nodes[j].inputs.size();) {
        std::vector<Node> nodes = best_.graph.nodes;
        nodes[j].inputs.erase(nodes[j].inputs.begin() + static_cast<std::ptrdiff_t>(e));
        const bool gone = try_this({.graph = make_graph(std::move(nodes)), .limits = best_.limits});
        any |= gone;
        if (!gone) ++e;
      }
    }
    return any;
  }

  bool simplify_limits() {
    bool any =
        try_change([](Problem& p) { return std::exchange(p.limits.techniques.paging, false); });
    any |= try_change([](Problem& p) { return std::exchange(p.limits.techniques.remat, false); });
    any |= try_change([](Problem& p) {
      const Seconds ample = rounded(100 * baseline(p.graph).runtime_seconds + 1);
      return std::exchange(p.limits.runtime_budget_seconds, ample) != ample;
    });
    return any;
  }

  bool halve_everything() {
    bool any = false;
    const auto halve = [](Problem& p) {
      if (p.limits.ram_budget_bytes < 2) return false;
      p.limits.ram_budget_bytes /= 2;
      for (Node& node : p.graph.nodes) node.bytes /= 2;
      return true;
    };
    while (try_change(halve)) any = true;
    return any;
  }

  bool simplify_numbers() {
    bool any = false;
    for (int j = 0; j < best_.graph.size(); ++j) {
      for (const Bytes bytes : {Bytes{0}, Bytes{1}}) {
        any |= try_change([&](Problem& p) {
          // Only ever simpler, or the search would go round in circles.
          return p.graph.nodes[j].bytes > bytes &&
                 std::exchange(p.graph.nodes[j].bytes, bytes) != bytes;
        });
      }
      for (double Node::*cost : {&Node::runtime_seconds, &Node::energy_joules,
                                 &Node::page_in_energy_joules, &Node::page_out_energy_joules}) {
        any |= simplify_cost(j, cost);
      }
    }
    return any;
  }

  bool simplify_cost(int j, double Node::*cost) {
    bool any = false;
    const double now = best_.graph.nodes[j].*cost;
    for (const double simpler : {0.0, 1.0, rounded(now)}) {
      const double value = best_.graph.nodes[j].*cost;
      if (value == 0 || value == simpler || (value == 1 && simpler != 0)) continue;
      any |= try_change([&](Problem& p) {
        p.graph.nodes[j].*cost = simpler;
        return true;
      });
    }
    return any;
  }

  Problem best_;
  const std::function<bool(const Problem&)>& fails_;
  int trials_ = 0;
};

std::string model_file(const Graph& graph) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.nodes[i];
    nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
    for (const int input : node.inputs) inputs.push_back(fmt::format("n{}", input));
    nodes.push_back({{"name", fmt::format("n{}", i)},
                     {"bytes", node.bytes},
                     {"runtime_seconds", node.runtime_seconds},
                     {"energy_joules", node.energy_joules},
                     {"page_in_energy_joules", node.page_in_energy_joules},
                     {"page_out_energy_joules", node.page_out_energy_joules},
                     {"inputs", inputs},
                     {"backward", node.backward}});
  }
  const nlohmann::ordered_json file{
      {"format", "poet-model"}, {"version", 1}, {"name", "failing"}, {"nodes", nodes}};
  return file.dump(1) + "\n";
}

std::string command_for(const Limits& limits) {
  return fmt::format(
      "poet-solve --model ./model.json --ram-budget {} --runtime-budget {:.17g}s --gap 0{}{}\n",
      limits.ram_budget_bytes, limits.runtime_budget_seconds,
      limits.techniques.paging ? "" : " --no-paging", limits.techniques.remat ? "" : " --no-remat");
}

}  // namespace

Problem shrink(Problem problem, const std::function<bool(const Problem&)>& fails) {
  return Shrinker(std::move(problem), fails).run();
}

std::string write_failing_case(const Problem& problem, const std::string& name,
                               const std::string& what_is_wrong) {
  const char* const root = std::getenv("POET_FAILURES");
  const std::filesystem::path folder =
      std::filesystem::path(root != nullptr ? root : testing::TempDir() + "poet_failures") / name;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "model.json") << model_file(problem.graph);
  std::ofstream(folder / "command") << command_for(problem.limits);
  std::ofstream(folder / "what_is_wrong") << what_is_wrong << "\n";
  return folder.string();
}

}  // namespace poet::test
