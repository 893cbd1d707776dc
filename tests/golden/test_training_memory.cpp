// The memory of a training step on a microcontroller as published: "On-Device Training Under 256KB
// Memory" (Lin et al., NeurIPS 2022), figures 1 and 10. docs/training-memory.md says what is
// counted, and how the models come about.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"

namespace poet {
namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;

struct PublishedMemory {
  std::string model;
  double published_bytes;
  Bytes beside_tensors;  ///< trained parameters, and gradients that are kept until the end
  Bytes peak_bytes;      ///< of the tensors, if all of them are kept
  Bytes working_set_bytes;
  std::string floor_node;  ///< the one that needs the working set
};

void PrintTo(const PublishedMemory& memory, std::ostream* out) {
  *out << memory.model;
}

class TrainingMemory : public testing::TestWithParam<PublishedMemory> {};

TEST_P(TrainingMemory, IsThePublishedOneWithinATenth) {
  const PublishedMemory& expected = GetParam();
  const Platform platform = load_platform("stm32f746");
  const Model model = load_model(POET_SOURCE_DIR "/docs/examples/" + expected.model + ".json");
  const Graph graph = cost_graph(model, &platform);
  const Bytes peak = baseline(graph).peak_ram_bytes;
  const DeviceMemory memory = device_memory(model, &platform);
  const Bytes beside = memory.ram_bytes() - memory.reserve_bytes;
  EXPECT_EQ(peak, expected.peak_bytes);
  EXPECT_EQ(beside, expected.beside_tensors);
  EXPECT_NEAR(static_cast<double>(peak + beside), expected.published_bytes,
              0.1 * expected.published_bytes);
  const WorkingSet floor = working_set(graph);
  EXPECT_EQ(floor.bytes, expected.working_set_bytes);
  EXPECT_EQ(graph.nodes[floor.node].name, expected.floor_node);
}

INSTANTIATE_TEST_SUITE_P(
    Published, TrainingMemory,
    testing::Values(PublishedMemory{"mobilenet_v2_035_full_fp32", 5.7 * kMiB, 1964624, 3889664,
                                    2359296, "grad(block2.expand.conv)"},
                    PublishedMemory{"mobilenet_v2_035_full_int8", 2.9 * kMiB, 1248560, 1826816,
                                    1597440, "grad(block2.expand.bias)"},
                    PublishedMemory{"mobilenet_v2_035_sparse", 335 * kKiB, 233904, 116992, 99840,
                                    "grad(block14.expand.bias)"},
                    PublishedMemory{
                        "mobilenet_v2_035_sparse_fused", 141 * kKiB, 58344, 79488, 73728,
                        "accumulate(block11.depthwise.relu6 by block11.project.trained.input)"},
                    PublishedMemory{"mcunet_5fps_sparse_fused", 173 * kKiB, 78088, 98432, 76800,
                                    "grad(block11.expand.relu6)"}),
    [](const auto& instance) { return instance.param.model; });

}  // namespace
}  // namespace poet
