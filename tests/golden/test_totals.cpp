#include <gtest/gtest.h>

#include <cmath>

#include "golden/reference.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"

namespace poet {
namespace {

constexpr double kRelativeTolerance = 1e-12;

struct Totals {
  std::int64_t nodes = 0;
  std::int64_t forward_nodes = 0;
  std::int64_t edges = 0;
  Bytes forward_ram_bytes = 0;
  Joules compute_energy_joules = 0;
  Seconds runtime_seconds = 0;
  Joules sum_page_in_joules = 0;
  Joules sum_page_out_joules = 0;
};

Totals totals_of(const Graph& graph) {
  Totals totals;
  totals.nodes = graph.size();
  for (const Node& node : graph.nodes) {
    totals.forward_nodes += node.backward ? 0 : 1;
    totals.forward_ram_bytes += node.backward ? 0 : node.bytes;
    totals.edges += static_cast<std::int64_t>(node.inputs.size());
    totals.compute_energy_joules += node.energy_joules;
    totals.runtime_seconds += node.runtime_seconds;
    totals.sum_page_in_joules += node.page_in_energy_joules;
    totals.sum_page_out_joules += node.page_out_energy_joules;
  }
  return totals;
}

void expect_close(double found, const nlohmann::json& expected) {
  const auto value = expected.get<double>();
  EXPECT_NEAR(found, value, kRelativeTolerance * std::abs(value));
}

TEST(Totals, OfEveryModelOnEveryPublishedPlatformAreTheReference) {
  const nlohmann::json all = reference("totals.json");
  ASSERT_FALSE(all.empty());
  for (const auto& [key, expected] : all.items()) {
    SCOPED_TRACE(key);
    const std::size_t slash = key.find('/');
    const Model model = load_model(key.substr(0, slash));
    const Platform platform = load_platform(key.substr(slash + 1));
    const Totals found = totals_of(cost_graph(model, &platform));
    EXPECT_EQ(found.nodes, expected.at("nodes"));
    EXPECT_EQ(found.forward_nodes, expected.at("forward_nodes"));
    EXPECT_EQ(found.edges, expected.at("edges"));
    EXPECT_EQ(found.forward_ram_bytes, expected.at("forward_ram_bytes"));
    expect_close(found.compute_energy_joules, expected.at("compute_energy_joules"));
    expect_close(found.runtime_seconds, expected.at("runtime_seconds"));
    expect_close(found.sum_page_in_joules, expected.at("sum_page_in_joules"));
    expect_close(found.sum_page_out_joules, expected.at("sum_page_out_joules"));
  }
}

}  // namespace
}  // namespace poet
