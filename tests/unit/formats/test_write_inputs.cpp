// What is written is read as the same.
#include <gtest/gtest.h>

#include "formats/read_inputs.hpp"
#include "formats/write_inputs.hpp"

namespace poet::test {
namespace {

TEST(WrittenPlatforms, AreReadAsTheyWere) {
  for (const std::string& name : builtin_platforms()) {
    const Platform platform = load_platform(name);
    const std::string text = platform_json(platform);
    const Platform again = parse_platform(text, "written.json");
    EXPECT_EQ(platform_json(again), text);
    EXPECT_EQ(again.name, platform.name);
    EXPECT_EQ(again.flops_per_second, platform.flops_per_second);
    EXPECT_EQ(again.page_out.latency_seconds, platform.page_out.latency_seconds);
    EXPECT_EQ(again.page_in.power_watts, platform.page_in.power_watts);
    EXPECT_EQ(again.ram_bytes, platform.ram_bytes);
    EXPECT_EQ(again.block_bytes, platform.block_bytes);
    EXPECT_EQ(again.reserve_bytes, platform.reserve_bytes);
    EXPECT_EQ(again.flash_bytes, platform.flash_bytes);
    EXPECT_EQ(again.parameters_in, platform.parameters_in);
    EXPECT_EQ(again.ops.size(), platform.ops.size());
    EXPECT_EQ(again.intervals, platform.intervals);
    EXPECT_EQ(again.sources, platform.sources);
    EXPECT_EQ(again.standing, platform.standing);
    const Model model = load_model("ds_cnn");
    EXPECT_EQ(graph_sha256(cost_graph(model, &again), true),
              graph_sha256(cost_graph(model, &platform), true));
  }
}

TEST(WrittenModels, AreReadAsTheyWere) {
  const std::string text = R"({"format": "poet-model", "version": 2, "name": "m",
    "parameters": {"p": 12}, "nodes": [
    {"name": "a", "bytes": 8, "runtime_seconds": 0.1, "energy_joules": 0.3, "inputs": []},
    {"name": "b", "op": "relu", "bytes": 8, "runtime_seconds": 1e-7, "energy_joules": 0,
     "page_in_energy_joules": 1, "page_out_energy_joules": 2, "page_in_seconds": 3,
     "page_out_seconds": 4, "inputs": ["a"], "backward": true, "in_place": "a",
     "workspace_bytes": 16, "recompute": false, "page": false, "reads_parameters": ["p"],
     "writes_parameters": ["p"]}]})";
  InputErrors errors;
  const ModelSpec spec = read_model(text, "m.json", errors);
  const std::string written = model_json(spec);
  const ModelSpec again = read_model(written, "written.json", errors);
  errors.throw_if_any();
  EXPECT_EQ(model_json(again), written);
  const MeasuredSpec& node = again.nodes.at(1);
  EXPECT_EQ(node.op, "relu");
  EXPECT_EQ(node.inputs.at(0).name, "a");
  EXPECT_TRUE(node.backward);
  EXPECT_EQ(node.in_place->name, "a");
  EXPECT_EQ(node.workspace_bytes, 16);
  EXPECT_FALSE(node.recompute);
  EXPECT_FALSE(node.page);
  EXPECT_EQ(node.writes_parameters.at(0).name, "p");
  EXPECT_EQ(node.costs.page_out_seconds, 4);
  EXPECT_EQ(again.parameters.at(0).bytes, 12);
  EXPECT_EQ(again.nodes.at(0).costs.page_in_seconds, std::nullopt);
}

}  // namespace
}  // namespace poet::test
