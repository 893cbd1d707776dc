#include "poet/platform.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "expect_input_error.hpp"
#include "formats/write_inputs.hpp"

namespace poet {
namespace {

using testing::HasSubstr;

Platform board() {
  Platform platform;
  platform.name = "board";
  platform.flops_per_second = 100;
  platform.flops_per_joule = 50;
  platform.page_in = {.latency_seconds = 1, .bytes_per_second = 8};
  platform.page_out = {.latency_seconds = 2, .bytes_per_second = 4};
  platform.memory_power_watts = 3;
  return platform;
}

Model one_layer() {
  Model model;
  model.name = "one";
  model.nodes.push_back(
      {.name = "a", .op = "relu", .out_shape = {2, 2}, .flop = 200, .inputs = {}, .measured = {}});
  return model;
}

Model one_measured() {
  Model model;
  model.name = "own";
  model.nodes.push_back({.name = "a", .op = "x", .out_shape = {}, .inputs = {}, .measured = {}});
  model.nodes[0].measured = MeasuredCosts{.bytes = 16,
                                          .runtime_seconds = 5,
                                          .energy_joules = 7,
                                          .page_in_energy_joules = {},
                                          .page_out_energy_joules = 11};
  return model;
}

TEST(ApplyPlatform, FollowsThePublishedFormulas) {
  const Platform platform = board();
  const Node node = cost_graph(one_layer(), &platform, 0.5).nodes.at(0);
  EXPECT_EQ(node.bytes, 16);
  EXPECT_DOUBLE_EQ(node.runtime_seconds, 2);
  EXPECT_DOUBLE_EQ(node.energy_joules, 4);
  EXPECT_DOUBLE_EQ(node.page_in_seconds, 1 + 16.0 / 8);
  EXPECT_DOUBLE_EQ(node.page_out_seconds, 2 + 16.0 / 4);
  EXPECT_DOUBLE_EQ(node.page_in_energy_joules, 3 * 3 * 0.5);
  EXPECT_DOUBLE_EQ(node.page_out_energy_joules, 6 * 3 * 0.5);
}

TEST(ApplyPlatform, GivesAGradientTheRatesOfItsOpUnlessItHasItsOwn) {
  Platform platform = board();
  platform.ops["default"] = {.flops_per_second = 10};
  platform.ops["relu"] = {.flops_per_second = 20};
  platform.ops["relu_gradw"] = {.flops_per_joule = 5};
  const auto node = [&](const char* op) {
    Model model = one_layer();
    model.nodes[0].op = op;
    return cost_graph(model, &platform).nodes.at(0);
  };
  EXPECT_DOUBLE_EQ(node("conv2d").runtime_seconds, 20);
  EXPECT_DOUBLE_EQ(node("relu").runtime_seconds, 10);
  EXPECT_DOUBLE_EQ(node("relu_grad").runtime_seconds, 10);
  EXPECT_DOUBLE_EQ(node("relu_gradw").runtime_seconds, 10);
  EXPECT_DOUBLE_EQ(node("relu").energy_joules, 4);
  EXPECT_DOUBLE_EQ(node("relu_gradw").energy_joules, 40);
}

TEST(ApplyPlatform, TakesNoLessTimeThanItsMemory) {
  Platform platform = board();
  platform.memory_bytes_per_second = 4;
  Model model = one_layer();
  model.nodes.push_back(model.nodes[0]);
  model.nodes[1].inputs = {0};
  model.nodes[1].reads_parameters = {"w"};
  model.parameters = {{.name = "w", .count = 3}};
  const Graph graph = cost_graph(model, &platform);
  EXPECT_DOUBLE_EQ(graph.nodes[0].runtime_seconds, 4);                     // 16 bytes written
  EXPECT_DOUBLE_EQ(graph.nodes[1].runtime_seconds, (16 + 16 + 12) / 4.0);  // and read
  EXPECT_DOUBLE_EQ(graph.nodes[1].energy_joules, 4);
}

TEST(ApplyPlatform, MovesWholeBlocksAtThePowerOfEachDirection) {
  Platform platform = board();
  platform.block_bytes = 10;
  platform.page_out.power_watts = 7;
  const Node node = cost_graph(one_layer(), &platform).nodes.at(0);
  EXPECT_EQ(node.bytes, 16);
  EXPECT_EQ(node.storage_bytes, 20);
  EXPECT_DOUBLE_EQ(node.page_in_seconds, 1 + 20.0 / 8);
  EXPECT_DOUBLE_EQ(node.page_in_energy_joules, 3 * node.page_in_seconds);
  EXPECT_DOUBLE_EQ(node.page_out_energy_joules, 7 * node.page_out_seconds);
}

TEST(DeviceMemory, CountsWhatTrainingKeepsForEachParameter) {
  Platform platform = board();
  platform.reserve_bytes = 100;
  Model model = one_layer();
  model.parameters = {{.name = "trained", .count = 10, .is_trained = true},
                      {.name = "frozen", .count = 1000},
                      {.name = "half", .count = 6, .is_trained = true}};
  model.parameters[2].element_bytes.parameters = 2;
  EXPECT_EQ(device_memory(model, nullptr).ram_bytes(), 40 + 4000 + 12);
  EXPECT_EQ(device_memory(model, &platform).ram_bytes(), 40 + 4000 + 12 + 100);
  platform.flash_bytes = 1;
  EXPECT_EQ(device_memory(model, &platform).parameters_bytes, 40 + 12);
  EXPECT_EQ(device_memory(model, &platform).flash_bytes, 4000);
  model.optimizer = Optimizer::adam;
  EXPECT_EQ(device_memory(model, &platform).optimizer_bytes, 2 * (40 + 24));
  EXPECT_EQ(device_memory(model, &platform).gradients_bytes, 0);
  model.update = Update::accumulate;
  EXPECT_EQ(device_memory(model, &platform).gradients_bytes, 40 + 24);
  platform.parameters_in = ParametersIn::flash;
  EXPECT_EQ(device_memory(model, &platform).parameters_bytes, 0);
}

TEST(ApplyPlatform, RefusesAScaleThatIsNone) {
  const Platform platform = board();
  for (const double scale :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(cost_graph(one_layer(), &platform, scale), InputError);
  }
}

TEST(ApplyPlatform, SuppliesOnlyTheCostsThatWereNotMeasured) {
  const Platform platform = board();
  const Node node = cost_graph(one_measured(), &platform).nodes.at(0);
  EXPECT_EQ(node.energy_joules, 7);
  EXPECT_EQ(node.runtime_seconds, 5);
  EXPECT_DOUBLE_EQ(node.page_in_energy_joules, (1 + 16.0 / 8) * 3);
  EXPECT_EQ(node.page_out_energy_joules, 11);
}

TEST(ApplyPlatform, NamesTheNodeThatLacksACostWithoutAPlatform) {
  EXPECT_EQ(input_error([] { cost_graph(one_measured(), nullptr); }),
            "node 'a': no page_in_energy_joules, expected one, or a platform to supply it");
  EXPECT_THAT(input_error([] { cost_graph(one_layer(), nullptr); }),
              HasSubstr("node 'a': no measured costs"));
}

TEST(ApplyPlatform, NeedsNoPlatformWhereEverythingIsMeasured) {
  Model model = one_measured();
  model.nodes[0].measured->page_in_energy_joules = 13;
  const Node node = cost_graph(model, nullptr).nodes.at(0);
  EXPECT_EQ(node.page_in_energy_joules, 13);
  EXPECT_EQ(node.page_in_seconds, 0);
}

TEST(ApplyPlatform, NeedsNoPageEnergiesWhereNothingIsPaged) {
  const Node node = cost_graph(one_measured(), nullptr, 1, false).nodes.at(0);
  EXPECT_EQ(node.page_in_energy_joules, 0);
  EXPECT_EQ(node.page_out_energy_joules, 11) << "what is stated is taken";
}

TEST(ApplyPlatform, RefusesATensorBeyondTheLargestSize) {
  Model model = one_layer();
  model.nodes[0].out_shape = {kMaxBytes / 2};
  const Platform platform = board();
  EXPECT_THAT(input_error([&] { cost_graph(model, &platform); }),
              HasSubstr("node 'a': an output of"));
}

constexpr const char* kBoard = R"({"format": "poet-platform", "version": 1, "name": "b",
 "flops_per_second": 100, "flops_per_joule": 50,
 "page_in": {"latency_seconds": 0, "bytes_per_second": 8},
 "page_out": {"latency_seconds": 2, "bytes_per_second": 4},
 "memory_power_watts": 3, "ram_bytes": 1024})";

std::string error_after(const std::string& from, const std::string& to) {
  std::string text = kBoard;
  text.replace(text.find(from), from.size(), to);
  return input_error([&] { parse_platform(text, "b.json"); });
}

TEST(PlatformFile, IsReadWithItsDefaults) {
  const Platform platform = parse_platform(kBoard, "b.json");
  EXPECT_EQ(platform.flops_per_joule, 50);
  EXPECT_EQ(platform.page_out.bytes_per_second, 4);
  EXPECT_EQ(platform.element_bytes, 4);
  EXPECT_EQ(platform.ram_bytes, 1024);
  EXPECT_EQ(platform.source, "b.json");
}

// So is every number that follows from them.
TEST(PlatformFile, TheMostThatSecondaryStorageSurvivesIsANumber) {
  std::string text = kBoard;
  text.insert(text.rfind('}'),
              R"(, "storage_bytes": 9007199254740992, "erase_cycles": 9007199254740992)");
  const Platform platform = parse_platform(text, "b.json");
  EXPECT_EQ(*platform.erase_cycles * static_cast<double>(*platform.storage_bytes), 0x1p106);
}

TEST(PlatformFile, ErrorsNameThePlace) {
  EXPECT_EQ(error_after(R"("flops_per_second": 100)", R"("flops_per_second": 0)"),
            "b.json: /flops_per_second: found the number 0, expected a number above 0");
  EXPECT_EQ(error_after(R"("bytes_per_second": 4)", R"("bytes_per_second": "4 MB")"),
            "b.json: /page_out/bytes_per_second: found a string (\"4 MB\"), expected a number "
            "above 0");
  EXPECT_EQ(error_after(R"("memory_power_watts": 3)", R"("memory_power_watts": -3)"),
            "b.json: /memory_power_watts: found the number -3, expected a number of at least 0");
  EXPECT_EQ(error_after(R"("ram_bytes": 1024)", R"("ram_bytes": 0.5)"),
            "b.json: /ram_bytes: found the number 0.5, expected a whole number from 1 to 2^53");
  EXPECT_EQ(error_after(R"("ram_bytes": 1024)", R"("erase_cycles": 0)"),
            "b.json: /erase_cycles: found the number 0, expected a number above 0");
  EXPECT_THAT(error_after(R"("ram_bytes": 1024)", R"("erase_cycles": 1e300)"),
              HasSubstr("/erase_cycles: found the number 1e+300, expected a number above 0 and of "
                        "at most 2^53"));
  EXPECT_THAT(error_after(R"("ram_bytes": 1024)", R"("ram_byte": 1024)"),
              HasSubstr("did you mean 'ram_bytes'?"));
  EXPECT_THAT(error_after(R"("flops_per_joule": 50,)", ""), HasSubstr("no 'flops_per_joule'"));
  EXPECT_THAT(error_after("poet-platform", "poet-model"), HasSubstr("expected \"poet-platform\""));
}

TEST(BuiltinPlatforms, AreThePublishedBoardsAndTheMeasuredOnes) {
  EXPECT_EQ(builtin_platforms(), (std::vector<std::string>{"a72",
                                                           "a72nocache",
                                                           "disco_f746",
                                                           "esp32s3",
                                                           "esp32s3_c",
                                                           "esp32s3_dsp",
                                                           "jetsontx2",
                                                           "m0",
                                                           "m4",
                                                           "nrf52840",
                                                           "nucleo_h7a3",
                                                           "nucleo_l4r5",
                                                           "nucleo_u575",
                                                           "rp2040",
                                                           "rpi4",
                                                           "rpi5",
                                                           "stm32f401",
                                                           "stm32f405_poet",
                                                           "stm32f446",
                                                           "stm32f746",
                                                           "stm32g474",
                                                           "stm32h743",
                                                           "stm32h743_banks",
                                                           "stm32l476",
                                                           "stm32u585"}));
  EXPECT_FALSE(load_platform("a72").ram_bytes.has_value());
  EXPECT_THAT(load_platform("jetsontx2").provenance, testing::StartsWith("estimated"));
  EXPECT_THAT(load_platform("m4").provenance, testing::StartsWith("published"));
}

// The reader refuses a measured platform that lacks one, so this asks that they are measured.
TEST(BuiltinPlatforms, SayWhereEveryFigureComesFromIfTheyAreMeasured) {
  for (const char* const name : {"nucleo_l4r5", "nucleo_h7a3", "nucleo_u575", "disco_f746",
                                 "stm32f401", "esp32s3_c", "esp32s3_dsp", "rpi4"}) {
    const Platform platform = load_platform(name);
    EXPECT_EQ(platform.standing, Standing::measured) << name;
    EXPECT_TRUE(platform.sources.contains("/flops_per_joule")) << name;
    EXPECT_FALSE(energy_intervals(platform).empty()) << name;
  }
}

TEST(BuiltinPlatforms, HaveSourcesIfTheyAreEstimatedFromOtherChips) {
  for (const char* const name : {"nrf52840", "stm32f446", "stm32g474", "stm32l476", "stm32u585"}) {
    const Platform platform = load_platform(name);
    EXPECT_EQ(platform.standing, Standing::estimated) << name;
    EXPECT_EQ(platform.sources.size(), load_platform("stm32f401").sources.size()) << name;
    EXPECT_EQ(platform.element_bytes, 4) << name;
  }
  EXPECT_TRUE(load_platform("stm32f405_poet").sources.contains("/ops/relu/flops_per_second"));
}

// Published results are about these files, and answers rest on every figure in them.
TEST(BuiltinPlatforms, AreTheSameByteForByte) {
  const std::vector<std::pair<std::string, std::string>> digests = {
      {"a72", "ff61c0485ddd0415"},         {"a72nocache", "dc99b1dce802e60c"},
      {"esp32s3", "bcdaed7586ae5df4"},     {"jetsontx2", "86ff5cff26802961"},
      {"m0", "4c06a8a5113de082"},          {"m4", "e833023598e652ce"},
      {"rp2040", "1f3e40cd607ce4b7"},      {"rpi5", "aec3d2e580f09792"},
      {"stm32f746", "6f0c9623f8a08034"},   {"stm32h743", "d2e3a85d80b78915"},
      {"nucleo_l4r5", "efd526d709f4df40"}, {"nucleo_h7a3", "03826e17cd459057"},
      {"nucleo_u575", "0e668ae9614a1c9c"}, {"disco_f746", "adff96770993adad"},
      {"stm32f401", "dff71ab67ef57535"},   {"esp32s3_c", "5deca7d14d428103"},
      {"esp32s3_dsp", "5b71009ba0ecae55"}, {"rpi4", "4fbe35028e2ba804"}};
  for (const auto& [name, digest] : digests) {
    EXPECT_EQ(load_platform(name).sha256.substr(0, digest.size()), digest) << name;
  }
}

TEST(BuiltinPlatforms, OfVersion1SayInTheirProvenanceWhatTheyAre) {
  for (const char* const name : {"m0", "m4", "a72", "a72nocache"}) {
    EXPECT_EQ(standing_of(load_platform(name)), Standing::published) << name;
  }
  for (const char* const name :
       {"jetsontx2", "esp32s3", "rp2040", "rpi5", "stm32f746", "stm32h743"}) {
    EXPECT_EQ(standing_of(load_platform(name)), Standing::estimated) << name;
  }
  EXPECT_EQ(standing_of(Platform{.provenance = "p"}), std::nullopt);
}

constexpr const char* kNewer = R"({"format": "poet-platform", "version": 2, "name": "b",
 "flops_per_second": [10, 40], "flops_per_joule": [1, 4],
 "page_in": {"latency_seconds": 0, "bytes_per_second": 8, "power_watts": [2, 8]},
 "page_out": {"latency_seconds": 0, "bytes_per_second": 4, "power_watts": 3},
 "memory_power_watts": 5, "ops": {"a/b~c": {"flops_per_joule": [2, 18]}},
 "standing": "measured",
 "sources": {"/flops_per_second": "s", "/flops_per_joule": "s", "/page_in": "s", "/page_out": "s",
             "/memory_power_watts": "s", "/ops/a~1b~0c/flops_per_joule": "s"}})";

std::string newer_error(const std::string& from, const std::string& to) {
  std::string text = kNewer;
  text.replace(text.find(from), from.size(), to);
  return input_error([&] { parse_platform(text, "b.json"); });
}

TEST(PlatformIntervals, LeaveTheirGeometricMeans) {
  const Platform platform = parse_platform(kNewer, "b.json");
  EXPECT_DOUBLE_EQ(platform.flops_per_second, 20);
  EXPECT_DOUBLE_EQ(platform.flops_per_joule, 2);
  EXPECT_DOUBLE_EQ(platform.page_in.power_watts.value(), 4);
  EXPECT_DOUBLE_EQ(platform.page_out.power_watts.value(), 3);
  EXPECT_DOUBLE_EQ(platform.ops.at("a/b~c").flops_per_joule.value(), 6);
  EXPECT_EQ(energy_intervals(platform),
            (std::vector<FigureInterval>{{"/flops_per_joule", 1, 4},
                                         {"/page_in/power_watts", 2, 8},
                                         {"/ops/a~1b~0c/flops_per_joule", 2, 18}}));
  EXPECT_EQ(rate_intervals(platform), (std::vector<FigureInterval>{{"/flops_per_second", 10, 40}}));
}

TEST(PlatformIntervals, CanBeSetToAnyOfTheirFigures) {
  Platform platform = parse_platform(kNewer, "b.json");
  set_figure(platform, "/ops/a~1b~0c/flops_per_joule", 7);
  EXPECT_EQ(platform.ops.at("a/b~c").flops_per_joule, 7);
  set_figure(platform, "/page_in/power_watts", 9);
  EXPECT_EQ(platform.page_in.power_watts, 9);
  EXPECT_THROW(set_figure(platform, "/ram_bytes", 1), InternalError);
  EXPECT_THROW(set_figure(platform, "/ops/x/flops_per_joule", 1), InternalError);
}

TEST(PlatformIntervals, AreRefusedWithThePlaceIfTheyAreNone) {
  EXPECT_THAT(newer_error("[1, 4]", "[4, 1]"),
              HasSubstr("b.json: /flops_per_joule: found an array of 2, expected a number, "
                        "or [LOW, HIGH] with LOW above 0 and below HIGH"));
  EXPECT_THAT(newer_error("[1, 4]", "[1]"), HasSubstr("expected a number, or [LOW, HIGH]"));
  EXPECT_THAT(newer_error("[1, 4]", "[0, 4]"),
              HasSubstr("b.json: /flops_per_joule/0: found the number 0, expected a number above"));
  EXPECT_THAT(newer_error("[2, 18]", "[2, null]"), HasSubstr("/ops/a~1b~0c/flops_per_joule/1"));
  EXPECT_THAT(newer_error("\"version\": 2", "\"version\": 1"),
              HasSubstr("/sources: found an unknown key"));
  EXPECT_THAT(newer_error("\"latency_seconds\": 0", "\"latency_seconds\": [0, 1]"),
              HasSubstr("/page_in/latency_seconds: found an array"));
}

TEST(PlatformIntervals, OfEnergyAreFourAtMost) {
  EXPECT_THAT(newer_error(R"("memory_power_watts": 5, "ops": {)",
                          R"("memory_power_watts": [5, 6], "ops": {
                             "x": {"flops_per_joule": [1, 2]},)"),
              HasSubstr("found 5 intervals of energy figures; expected 4 at most"));
}

TEST(PlatformSources, CoverEveryFigureOfAMeasuredPlatformAndNothingElse) {
  EXPECT_THAT(newer_error(R"("/page_in": "s", )", ""),
              HasSubstr("no source of the figure /page_in/bytes_per_second"));
  EXPECT_THAT(newer_error(R"("/page_in": "s")", R"("/page_inn": "s")"),
              HasSubstr("found a source of no figure"));
  EXPECT_THAT(newer_error(R"("/page_in": "s")", R"("/page_in": "")"),
              HasSubstr("expected where the figure comes from"));
  std::string estimated = kNewer;
  estimated.replace(estimated.find("\"measured\""), 10, R"("estimated", "erase_cycles": 5)");
  EXPECT_EQ(parse_platform(estimated, "b.json").erase_cycles, 5);
  EXPECT_THAT(newer_error(R"("standing": "measured",)", ""), HasSubstr("no 'standing'"));
}

TEST(LoadPlatform, NamesTheBuiltInThatWasMeant) {
  EXPECT_EQ(input_error([] { load_platform("jetsontx3"); }),
            "unknown platform 'jetsontx3'; did you mean 'jetsontx2'? (--list-platforms shows "
            "all)");
}

constexpr const char* kBanked = R"({"format": "poet-platform", "version": 3, "name": "b",
 "flops_per_second": 10, "flops_per_joule": 1,
 "page_in": {"latency_seconds": 0, "bytes_per_second": 8},
 "page_out": {"latency_seconds": 0, "bytes_per_second": 4},
 "memory_power_watts": 5, "standing": "estimated", "ram_bytes": 300,
 "sources": {"/banks/1/bytes": "s"},
 "banks": [{"name": "fast", "bytes": 100, "bytes_per_second": 8, "joules_per_byte": 0.5},
           {"name": "slow_1", "bytes": 200, "bytes_per_second": 2}]})";

std::string banked_error(const std::string& from, const std::string& to) {
  std::string text = kBanked;
  text.replace(text.find(from), from.size(), to);
  return input_error([&] { parse_platform(text, "b.json"); });
}

TEST(PlatformBanks, AddUpToTheRamOfTheChip) {
  std::string text = kBanked;
  const Platform stated = parse_platform(text, "b.json");
  EXPECT_EQ(stated.banks,
            (std::vector<MemoryBank>{{"fast", 100, 8, 0.5}, {"slow_1", 200, 2, std::nullopt}}));
  EXPECT_EQ(stated.ram_bytes, 300);
  const std::string sum = R"( "ram_bytes": 300,)";
  const Platform added = parse_platform(text.erase(text.find(sum), sum.size()), "b.json");
  EXPECT_EQ(added.ram_bytes, 300);
  const Platform again = parse_platform(platform_json(stated), "again.json");
  EXPECT_EQ(again.banks, stated.banks);
  EXPECT_EQ(again.sources, stated.sources);
}

TEST(PlatformBanks, AreRefusedWithThePlaceIfTheyAreNone) {
  EXPECT_THAT(banked_error("\"version\": 3", "\"version\": 2"),
              HasSubstr("b.json: /banks: found an unknown key"));
  EXPECT_THAT(banked_error("\"ram_bytes\": 300", "\"ram_bytes\": 301"),
              HasSubstr("/ram_bytes: found the number 301, expected 300, the sum of the banks"));
  EXPECT_THAT(banked_error("slow_1", "fast"), HasSubstr("/banks/1/name: found a string (\"fast\"), "
                                                        "expected a name of its own"));
  EXPECT_THAT(banked_error("slow_1", "Slow"), HasSubstr("/banks/1/name: found a string"));
  EXPECT_THAT(banked_error("\"bytes\": 200", "\"bytes\": 0"), HasSubstr("/banks/1/bytes: found"));
  EXPECT_THAT(banked_error("\"bytes_per_second\": 2", "\"bytes_per_second\": 0"),
              HasSubstr("/banks/1/bytes_per_second: found the number 0"));
  EXPECT_THAT(banked_error("\"joules_per_byte\": 0.5", "\"joules_per_byte\": 0"),
              HasSubstr("/banks/0/joules_per_byte: found the number 0"));
  EXPECT_THAT(banked_error("/banks/1/bytes", "/banks/2/bytes"),
              HasSubstr("found a source of no figure"));
}

TEST(PlatformBanks, OneMayKeepWhatTrainingKeeps) {
  const auto with = [](const std::string& slow, const std::string& fast) {
    std::string text = kBanked;
    const auto add = [&](const std::string& after, const std::string& more) {
      text.insert(text.find(after) + after.size(), more);
    };
    add("\"bytes_per_second\": 2", slow);
    add("\"joules_per_byte\": 0.5", fast);
    return text;
  };
  const std::string key = ", \"keeps_parameters\": true";
  const Platform platform = parse_platform(with(key, ""), "b.json");
  EXPECT_FALSE(platform.banks[0].keeps_parameters);
  EXPECT_TRUE(platform.banks[1].keeps_parameters);
  EXPECT_EQ(parse_platform(platform_json(platform), "again.json").banks, platform.banks);
  EXPECT_THAT(input_error([&] { parse_platform(with(key, key), "b.json"); }),
              HasSubstr("/banks/1/keeps_parameters: found true, expected one bank at most"));
  std::string in_flash = with(key, "");
  in_flash.insert(in_flash.find("\"standing\""), "\"parameters_in\": \"flash\", ");
  EXPECT_THAT(input_error([&] { parse_platform(in_flash, "b.json"); }),
              HasSubstr("expected no such key beside parameters_in flash"));
}

/// A frozen layer of 6 parameters and a trained one of 4, on a platform with flash.
constexpr const char* kFrozen = R"({"format": "poet-model", "version": 2, "name": "m",
 "input": {"shape": [1, 3], "repeatable": true},
 "layers": [{"name": "f", "op": "linear", "inputs": ["input"], "out_features": 2, "bias": false,
             "trainable": false},
            {"name": "t", "op": "linear", "inputs": ["f"], "out_features": 2, "bias": false},
            {"name": "loss", "op": "mse", "inputs": ["t"]}]})";

TEST(FlashPrices, AreForEachUseOfWhatIsInFlash) {
  const Model model = parse_model(kFrozen, "m.json");
  Platform platform = board();
  platform.flash_bytes = 1000;
  const Graph free = cost_graph(model, &platform);
  platform.flash_bytes_per_second = 2;
  platform.flash_joules_per_byte = 0.5;
  const Graph priced = cost_graph(model, &platform);
  int readers = 0;
  for (int i = 0; i < free.size(); ++i) {
    const Node& before = free.nodes[i];
    const Node& after = priced.nodes[i];
    const auto& names = before.reads_parameters;
    const bool reads = std::find(names.begin(), names.end(), "f") != names.end();
    readers += reads ? 1 : 0;
    // 6 parameters of 4 bytes, which take longer than their products.
    EXPECT_DOUBLE_EQ(after.runtime_seconds, reads ? 12 : before.runtime_seconds) << before.name;
    EXPECT_DOUBLE_EQ(after.energy_joules, before.energy_joules + (reads ? 12 : 0)) << before.name;
  }
  EXPECT_GE(readers, 1);
  platform.memory_bytes_per_second = 1;  // as slow as RAM is, it does not hold them
  const Graph slow = cost_graph(model, &platform);
  EXPECT_DOUBLE_EQ(slow.nodes[1].runtime_seconds, std::max(12.0, 1.0 * (3 * 4 + 2 * 4)));
}

/// Reads of both layers, if there is no flash; what is trained is read and written, and so are two
/// moments of Adam, and the gradient if it is summed over steps.
TEST(KeepingBank, IsWaitedForByWhatReadsAndWritesThere) {
  Model model = parse_model(kFrozen, "m.json");
  Platform platform = board();
  platform.banks = {{.name = "near", .bytes = 100, .bytes_per_second = 8},
                    {.name = "far", .bytes = 100, .bytes_per_second = 0.5, .joules_per_byte = 2}};
  const Graph free = cost_graph(model, &platform);
  platform.banks[1].keeps_parameters = true;
  const auto expect = [&](const std::string& name, double bytes) {
    const Graph priced = cost_graph(model, &platform);
    for (int i = 0; i < free.size(); ++i) {
      if (free.nodes[i].name != name) continue;
      const Node& after = priced.nodes[i];
      EXPECT_DOUBLE_EQ(after.runtime_seconds, std::max(bytes * 2, free.nodes[i].runtime_seconds))
          << name;
      EXPECT_DOUBLE_EQ(after.energy_joules, free.nodes[i].energy_joules + bytes * 2) << name;
      return;
    }
    ADD_FAILURE() << "there is no node " << name;
  };
  expect("f", 6 * 4);
  expect("t", 4 * 4);
  expect("gradw(t)", 2 * 4 * 4);  // read and written
  expect("grad(t)", 0);
  model.optimizer = Optimizer::adam;
  expect("gradw(t)", 2 * 3 * 4 * 4);
  platform.flash_bytes = 1000;
  expect("f", 0);
  platform.memory_bytes_per_second = 1e-3;  // only for tensors
  const Graph slow = cost_graph(model, &platform);
  EXPECT_DOUBLE_EQ(slow.nodes[2].runtime_seconds, (2 * 4 + 2 * 4) * 1e3) << slow.nodes[2].name;
}

TEST(FlashPrices, AreForEachCopyAndNotForItsUses) {
  const auto model_of = [](const char* keys) {
    return parse_model(fmt::format(R"({{"format": "poet-model", "version": 2, "name": "m",
     "input": {{"shape": [1, 3], "repeatable": true}},
     "layers": [{{"name": "t", "op": "linear", "inputs": ["input"], "out_features": 3}},
                {{"name": "f", "op": "linear", "inputs": ["t"], "out_features": 2, "bias": false,
                  "trainable": false{}}},
                {{"name": "loss", "op": "mse", "inputs": ["f"]}}]}})",
                                   keys),
                       "m.json");
  };
  Platform platform = board();
  platform.flash_bytes = 1000;
  const Graph free = cost_graph(model_of(""), &platform);
  platform.flash_bytes_per_second = 2;
  platform.flash_joules_per_byte = 0.5;
  const Model copied = model_of(R"(, "frozen_parameters": "copied")");
  const Graph priced = cost_graph(copied, &platform);
  ASSERT_EQ(priced.size(), free.size() + 1);
  for (int i = 0; i < priced.size(); ++i) {
    const Node& node = priced.nodes[i];
    if (node.name == "copy(f)") {  // 6 parameters of 4 bytes
      EXPECT_EQ(node.bytes, 24);
      EXPECT_DOUBLE_EQ(node.runtime_seconds, 12);
      EXPECT_DOUBLE_EQ(node.energy_joules, 12);
      continue;
    }
    const auto same = std::find_if(free.nodes.begin(), free.nodes.end(),
                                   [&](const Node& each) { return each.name == node.name; });
    ASSERT_NE(same, free.nodes.end()) << node.name;
    EXPECT_DOUBLE_EQ(node.runtime_seconds, same->runtime_seconds) << node.name;
    EXPECT_DOUBLE_EQ(node.energy_joules, same->energy_joules) << node.name;
  }
  // Its uses read RAM, and it reads flash and nothing in RAM.
  platform.memory_bytes_per_second = 8;
  const Graph slow = cost_graph(copied, &platform);
  const auto seconds_of = [&](const std::string& name) {
    const auto found = std::find_if(slow.nodes.begin(), slow.nodes.end(),
                                    [&](const Node& each) { return each.name == name; });
    return found == slow.nodes.end() ? -1.0 : found->runtime_seconds;
  };
  EXPECT_DOUBLE_EQ(seconds_of("copy(f)"), 12);
  EXPECT_GE(seconds_of("f"), (3 * 4 + 24 + 2 * 4) / 8.0);
}

TEST(FlashPrices, AreRefusedWithoutFlash) {
  const std::string keys = R"("flash_bytes_per_second": 7, "flash_joules_per_byte": 1e-9, )";
  const std::string text = kBanked;
  const auto with = [&](const std::string& more) {
    std::string changed = text;
    return changed.insert(changed.find("\"banks\": ["), more);
  };
  EXPECT_THAT(
      input_error([&] { parse_platform(with(keys), "b.json"); }),
      HasSubstr("b.json: /flash_bytes_per_second: found the number 7, expected flash_bytes"));
  const Platform platform = parse_platform(with(keys + "\"flash_bytes\": 10, "), "b.json");
  EXPECT_EQ(platform.flash_bytes_per_second, 7);
  EXPECT_EQ(parse_platform(platform_json(platform), "c.json").flash_joules_per_byte, 1e-9);
}

}  // namespace
}  // namespace poet
