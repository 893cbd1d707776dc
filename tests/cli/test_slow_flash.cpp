// A frozen layer between trained ones is read forward and backward. If flash is slow, a copy of its
// parameters is worth its RAM; with less RAM the copy is made again, and nothing is gained.
#include <string>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

constexpr const char* kPlatform = R"({
  "format": "poet-platform", "version": 3, "name": "slow_flash", "standing": "estimated",
  "flops_per_second": 1e8, "flops_per_joule": 1e9, "memory_power_watts": 0.1,
  "page_in": {"latency_seconds": 1e-3, "bytes_per_second": 1e6},
  "page_out": {"latency_seconds": 1e-3, "bytes_per_second": 1e6},
  "ram_bytes": 262144, "flash_bytes": 1048576,
  "flash_bytes_per_second": 1e6, "flash_joules_per_byte": 1e-8})";

constexpr const char* kModel = R"({
  "format": "poet-model", "version": 2, "name": "between", "input": {"shape": [1, 32]}, "layers": [
  {"name": "first", "op": "linear", "inputs": ["input"], "out_features": 32},
  {"name": "frozen", "op": "linear", "inputs": ["first"], "out_features": 32, "trainable": false},
  {"name": "wide", "op": "linear", "inputs": ["frozen"], "out_features": 1024},
  {"name": "relu", "op": "relu", "inputs": ["wide"]},
  {"name": "narrow", "op": "linear", "inputs": ["relu"], "out_features": 4},
  {"name": "loss", "op": "mse", "inputs": ["narrow"]}]})";

constexpr std::int64_t kBytes = 4 * (32 * 32 + 32);  // of the frozen layer
constexpr double kReadSeconds = kBytes / 1e6;
constexpr double kReadJoules = 1e-8 * kBytes;

class SlowFlash : public testing::Test {
 protected:
  static std::string copied_model() {
    json model = json::parse(kModel);
    model.at("layers").at(1)["frozen_parameters"] = "copied";
    return model.dump();
  }

  json solved(const std::string& model, const std::string& ram) const {
    const Finished finished = poet_solve(problem(model, platform_, ram, "3") +
                                         Words{"--no-paging", "--replace", "--output", schedule_});
    EXPECT_EQ(finished.status, 0) << finished.err;
    const json schedule = json::parse(contents_of(schedule_));
    EXPECT_EQ(schedule.at("status"), "optimal");
    EXPECT_EQ(schedule.at("summary").at("memory").at("flash_bytes"), kBytes);
    EXPECT_EQ(poet_solve({"verify", schedule_, "--model", model, "--platform", platform_}).status,
              0);
    return schedule.at("summary");
  }

  /// The numbers of two steps.
  json computed(const std::string& model) const {
    const Finished run = poet_solve({"run", schedule_, "--model", model, "--steps", "2"});
    EXPECT_EQ(run.status, 0) << run.err;
    return {{"losses", document(run).at("losses")}, {"gradients", document(run).at("gradients")}};
  }

  TemporaryFolder folder_;
  std::string platform_ = folder_.write("slow_flash.json", kPlatform);
  std::string in_place_ = folder_.write("in_place.json", kModel);
  std::string copied_ = folder_.write("copied.json", copied_model());
  std::string schedule_ = folder_.file("schedule.json");
};

TEST_F(SlowFlash, IsReadOnceIfRamHoldsTheCopy) {
  const json usual = solved(in_place_, "100%");
  const json numbers = computed(in_place_);
  const json kept = solved(copied_, "100%");
  EXPECT_EQ(computed(copied_), numbers);
  const auto figure = [](const json& summary, const char* key) {
    return summary.at(key).get<double>();
  };
  EXPECT_EQ(kept.at("recompute_count"), 0);
  EXPECT_NEAR(figure(kept, "energy_joules"), figure(usual, "energy_joules") - kReadJoules, 1e-12);
  // A read in place hides the 64 products and sums of each output, and a copy does not.
  EXPECT_NEAR(figure(kept, "runtime_seconds"), figure(usual, "runtime_seconds") - kReadSeconds,
              1e-4);
  EXPECT_EQ(kept.at("peak_ram_bytes"), usual.at("peak_ram_bytes").get<std::int64_t>() + kBytes);

  const json again = solved(copied_, std::to_string(usual.at("peak_ram_bytes").get<int>()));
  EXPECT_EQ(computed(copied_), numbers);
  EXPECT_EQ(again.at("recompute_count"), 1);
  EXPECT_NEAR(figure(again, "energy_joules"), figure(usual, "energy_joules"), 1e-12);
  const json nodes = json::parse(contents_of(schedule_)).at("nodes");
  EXPECT_EQ(nodes.at(2).at("name"), "copy(frozen)");
}

TEST_F(SlowFlash, IsReadByTheCopyAloneInInfo) {
  const Finished info = poet_solve({"info", copied_, "--platform", platform_, "--json"});
  EXPECT_EQ(info.status, 0) << info.err;
  const json nodes = document(info).at("nodes");
  for (const json& node : nodes) {
    const std::string name = node.at("name");
    const double seconds = node.at("runtime_seconds");
    EXPECT_EQ(seconds == kReadSeconds, name == "copy(frozen)") << name;
    if (name == "copy(frozen)") {
      EXPECT_EQ(node.at("parameter_count"), kBytes / 4);
    }
  }
}

}  // namespace
}  // namespace poet::test
