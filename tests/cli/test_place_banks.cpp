// `place` on a platform whose RAM consists of banks, and `verify` of what it wrote.

#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "cli/poet_solve.hpp"
#include "support/temporary_folder.hpp"

namespace poet::test {
namespace {

/// A board with two banks of these sizes, of which the near one is quicker and the far one needs
/// less energy.
json banked_board(std::int64_t near, std::int64_t far) {
  return {
      {"format", "poet-platform"},
      {"version", 3},
      {"name", "two"},
      {"flops_per_second", 1e7},
      {"flops_per_joule", 1e8},
      {"page_in", {{"latency_seconds", 0.001}, {"bytes_per_second", 1e5}}},
      {"page_out", {{"latency_seconds", 0.001}, {"bytes_per_second", 1e5}}},
      {"memory_power_watts", 0.1},
      {"parameters_in", "flash"},
      {"standing", "estimated"},
      {"banks",
       {{{"name", "near"}, {"bytes", near}, {"bytes_per_second", 4e6}, {"joules_per_byte", 3e-9}},
        {{"name", "far"}, {"bytes", far}, {"bytes_per_second", 1e6}, {"joules_per_byte", 1e-9}}}}};
}

/// Gives a board as many banks of this size as a platform may have.
void add_banks(json& platform, std::int64_t bytes) {
  for (int i = 0; i < 14; ++i) {
    platform["banks"].push_back({{"name", fmt::format("more_{}", i)},
                                 {"bytes", bytes},
                                 {"bytes_per_second", 1e6},
                                 {"joules_per_byte", 1e-9}});
  }
}

class PlaceBanks : public testing::Test {
 protected:
  std::string write(const std::string& name, const json& document) {
    return folder_.write(name, document.dump());
  }

  TemporaryFolder folder_;
};

/// A training step of a small network, in half a megabyte. Its costs are the same on all boards.
std::string in_half_a_megabyte() {
  static const Finished run = [] {
    const TemporaryFolder folder;
    const std::string platform = folder.write("two.json", banked_board(200'000, 400'000).dump());
    return poet_solve({"solve", "--model", "ds_cnn", "--platform", platform, "--backward", "exact",
                       "--ram-budget", "500K", "--runtime-budget", "2", "--effort", "fast"});
  }();
  EXPECT_EQ(run.status, 0) << run.err;
  return run.out;
}

Finished place_in(const std::string& schedule, const Words& options = {}) {
  return poet_solve(Words{"place", "-"} + options, schedule);
}

TEST_F(PlaceBanks, PutsWhatIsReadAndWrittenMostInTheQuickOne) {
  const std::string platform = write("two.json", banked_board(200'000, 400'000));
  const std::string solved = in_half_a_megabyte();
  const Finished run = place_in(solved, {"--platform", platform});
  ASSERT_EQ(run.status, 0) << run.err;
  const json placement = document(run);
  const json& summary = placement.at("summary");
  ASSERT_EQ(summary.at("banks").size(), 2);
  const json& near = summary.at("banks")[0];
  const json& far = summary.at("banks")[1];
  EXPECT_EQ(near.at("name"), "near");
  EXPECT_LE(near.at("used_bytes"), 200'000);
  EXPECT_EQ(far.at("offset"), 200'000);
  const std::int64_t near_traffic =
      near.at("read_bytes").get<std::int64_t>() + near.at("written_bytes").get<std::int64_t>();
  const std::int64_t far_traffic =
      far.at("read_bytes").get<std::int64_t>() + far.at("written_bytes").get<std::int64_t>();
  EXPECT_GT(near_traffic, far_traffic);
  EXPECT_DOUBLE_EQ(near.at("seconds"), static_cast<double>(near_traffic) / 4e6);
  EXPECT_DOUBLE_EQ(summary.at("bank_seconds"), static_cast<double>(near_traffic) / 4e6 +
                                                   static_cast<double>(far_traffic) / 1e6);
  EXPECT_LE(summary.at("bank_bound"), summary.at("bank_seconds"));
  EXPECT_THAT(run.err, HasSubstr("bank near: "));
  for (const json& step : placement.at("program")) EXPECT_NE(step.at("op"), "move");
  const Finished verified =
      poet_solve({"verify", "-", "--model", "ds_cnn", "--platform", platform}, run.out);
  EXPECT_EQ(verified.status, 0) << verified.err;

  const std::string placed = folder_.write("placed.json", run.out);
  EXPECT_THAT(poet_solve({"plot", placed}).out, HasSubstr("In banks: near "));
  EXPECT_THAT(poet_solve({"plot", placed, "--format", "html"}).out,
              HasSubstr(R"("banks":[{"name":"near")"));

  const Finished thrifty = place_in(solved, {"--platform", platform, "--bank-cost", "energy"});
  ASSERT_EQ(thrifty.status, 0) << thrifty.err;
  EXPECT_LT(document(thrifty).at("summary").at("bank_joules"), summary.at("bank_joules"));
  EXPECT_GT(document(thrifty).at("summary").at("bank_seconds"), summary.at("bank_seconds"));
  const Finished whole = place_in(run.out, {"--capacity", "500K"});
  EXPECT_EQ(document(whole).at("summary").count("banks"), 0) << "one arena was asked for";
}

TEST_F(PlaceBanks, AreVerifiedWithTheirPlatform) {
  const std::string platform = write("two.json", banked_board(200'000, 400'000));
  const Finished run = place_in(in_half_a_megabyte(), {"--platform", platform});
  ASSERT_EQ(run.status, 0) << run.err;
  json changed = document(run);
  changed["summary"]["banks"][0]["bytes_per_second"] = 1e6;
  const Finished verified =
      poet_solve({"verify", "-", "--model", "ds_cnn", "--platform", platform}, changed.dump());
  EXPECT_EQ(verified.status, 5);
  EXPECT_THAT(verified.err, HasSubstr("summary.banks[0].bytes_per_second is 1000000; the platform "
                                      "says 4000000"));
}

TEST_F(PlaceBanks, AreTriedAgainInLessRamIfNothingFits) {
  const std::string platform = write("two.json", banked_board(243'200, 240'000));
  const std::string solved = in_half_a_megabyte();
  const Finished refused = place_in(solved, {"--platform", platform});
  ASSERT_EQ(refused.status, 5);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("without room in the best attempt: '"));
  const Finished run = place_in(solved, {"--platform", platform, "--no-moves"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("solved again within"));
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

TEST_F(PlaceBanks, NameTheTensorThatNoneOfThemCanHold) {
  json platform = banked_board(30'400, 30'400);
  add_banks(platform, 30'400);
  const Finished run =
      place_in(in_half_a_megabyte(), {"--platform", write("many.json", platform), "--no-moves"});
  EXPECT_EQ(run.status, 5);
  EXPECT_THAT(run.err, HasSubstr("no bank has room for '"));
}

TEST_F(PlaceBanks, HoldWhatIsPinnedToThem) {
  const std::string platform = write("two.json", banked_board(200'000, 400'000));
  const json model = {{"format", "poet-model"},
                      {"version", 2},
                      {"name", "pinned"},
                      {"input", {{"shape", {"N", 2, 16, 16}}, {"repeatable", true}}},
                      {"layers",
                       {{{"name", "a"},
                         {"op", "conv2d"},
                         {"inputs", {"input"}},
                         {"out_channels", 4},
                         {"kernel", 3},
                         {"bank", "far"}},
                        {{"name", "b"}, {"op", "relu"}, {"inputs", {"a"}}},
                        {{"name", "loss"}, {"op", "mse"}, {"inputs", {"b"}}}}}};
  const auto solved = [&](const std::string& model_path) {
    return poet_solve({"solve", "--model", model_path, "--platform", platform, "--ram-budget",
                       "100%", "--runtime-budget", "2", "--effort", "fast"});
  };
  const Finished solve = solved(write("pinned.json", model));
  ASSERT_EQ(solve.status, 0) << solve.err;
  const Finished run = place_in(solve.out, {"--platform", platform});
  ASSERT_EQ(run.status, 0) << run.err;
  const json banks = document(run).at("summary").at("banks");
  EXPECT_GT(banks[1].at("written_bytes"), 0);
  EXPECT_GT(banks[0].at("written_bytes"), 0) << "only one layer is pinned";
  json changed = document(run);
  const auto pinned = std::find_if(changed["nodes"].begin(), changed["nodes"].end(),
                                   [](const json& node) { return node.contains("bank"); });
  ASSERT_NE(pinned, changed["nodes"].end());
  EXPECT_EQ(pinned->at("name"), "a");
  (*pinned)["bank"] = "near";
  const Finished verified = poet_solve({"verify", "-"}, changed.dump());
  EXPECT_EQ(verified.status, 5);
  EXPECT_THAT(verified.err, HasSubstr("is in the bank 'far'; the node demands 'near'"));
  const Finished other = place_in(solve.out, {"--platform", "stm32h743_banks"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("node 'a' has to be in the bank 'far'; platform "
                                   "'stm32h743_banks' has no such bank"));
  // The solver asks for no bank.
  json free = model;
  free["layers"][0].erase("bank");
  json without = document(solved(write("pinned.json", free)));
  json with = document(solve);
  for (json* each : {&without, &with}) {
    for (const char* key : {"model", "solver"}) each->erase(key);
    for (json& node : (*each)["nodes"]) node.erase("bank");
  }
  EXPECT_EQ(with, without);
}

/// Two banks, and no flash: parameters are in RAM.
json board_with_parameters(std::int64_t near, std::int64_t far) {
  json platform = banked_board(near, far);
  platform["parameters_in"] = "ram";
  platform["reserve_bytes"] = 1000;
  return platform;
}

/// What training keeps beside tensors.
class KeptInBanks : public PlaceBanks {
 protected:
  std::string solve_on(const std::string& platform, const std::string& budget = "chip") {
    const Finished run =
        poet_solve({"solve", "--model", "ds_cnn", "--platform", platform, "--backward", "exact",
                    "--ram-budget", budget, "--runtime-budget", "2", "--effort", "fast"});
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out;
  }
};

TEST_F(KeptInBanks, AreParametersWithTheirTraffic) {
  const std::string platform = write("two.json", board_with_parameters(200'000, 600'000));
  const std::string solved = solve_on(platform);
  const Finished run = place_in(solved);
  ASSERT_EQ(run.status, 0) << run.err;
  const json placed = document(run);
  const json& summary = placed.at("summary");
  ASSERT_EQ(summary.at("kept").size(), 1);
  const json& parameters = summary.at("kept")[0];
  EXPECT_EQ(parameters.at("what"), "parameters");
  EXPECT_EQ(parameters.at("bytes"), summary.at("memory").at("parameters_bytes"));
  EXPECT_EQ(parameters.at("written_bytes"), parameters.at("bytes")) << "each is updated once";
  EXPECT_GT(parameters.at("read_bytes"), 2 * parameters.at("bytes").get<std::int64_t>());
  EXPECT_THAT(run.err, HasSubstr("92.8 KiB of parameters"));
  std::int64_t kept = 0;
  for (const json& bank : summary.at("banks")) {
    kept += bank.at("kept_bytes").get<std::int64_t>();
    const bool is_home = bank.at("name") == parameters.at("bank");
    EXPECT_GE(bank.at("read_bytes"), is_home ? parameters.at("read_bytes").get<std::int64_t>() : 0);
  }
  EXPECT_EQ(kept, 1000 + parameters.at("bytes").get<std::int64_t>());
  const auto verified = [&](const json& changed) {
    return poet_solve({"verify", "-", "--model", "ds_cnn", "--platform", platform}, changed.dump());
  };
  EXPECT_EQ(verified(placed).status, 0);
  const auto finding = [&](const char* key, const json& value) {
    json changed = placed;
    changed["summary"]["kept"][0][key] = value;
    const Finished found = verified(changed);
    EXPECT_EQ(found.status, 5) << key;
    return found.err;
  };
  EXPECT_THAT(finding("read_bytes", 1), HasSubstr("read_bytes of 'parameters' is 1; the model"));
  EXPECT_THAT(finding("bytes", 5),
              HasSubstr("'parameters' has 5 bytes; summary.memory says 95024"));
  EXPECT_THAT(finding("bank", "no"),
              HasSubstr("'parameters' is in the bank 'no', which does not exist"));
  EXPECT_THAT(finding("what", "optimizer"), HasSubstr("'optimizer' has 95024 bytes"));
  json without = placed;
  without["summary"].erase("kept");
  EXPECT_THAT(verified(without).err, HasSubstr("summary.kept has 0 arrays; 1 are kept"));
}

TEST_F(KeptInBanks, AreWhereThePlatformSaysAndCostWhatItTakesThere) {
  json board = board_with_parameters(400'000, 600'000);
  const auto joules = [&] {
    const json placed = document(place_in(solve_on(write("two.json", board))));
    const json& kept = placed.at("summary").at("kept").at(0);
    return std::pair(kept.at("bank").get<std::string>(),
                     placed.at("summary").at("energy_joules").get<double>());
  };
  const auto [home, usual] = joules();
  EXPECT_EQ(home, "near") << "there is room";
  board["banks"][1]["keeps_parameters"] = true;
  const auto [pinned, priced] = joules();
  EXPECT_EQ(pinned, "far");
  // Each parameter is read in the forward pass, most in the backward pass too, and once more for
  // the update, which writes it.
  EXPECT_GT(priced, usual + 3 * 95'024 * 1e-9);
  EXPECT_LT(priced, usual + 4 * 95'024 * 1e-9);
}

TEST_F(KeptInBanks, NeedTheModelAndABankWithRoom) {
  const std::string platform = write("two.json", board_with_parameters(200'000, 600'000));
  json solved = json::parse(solve_on(platform));
  solved["model"]["source"] = write("gone.json", json::object());
  const Finished unknown = place_in(solved.dump());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("the model of the schedule was not found"));
  EXPECT_EQ(place_in(solved.dump(), {"--model", "ds_cnn"}).status, 0);
  EXPECT_EQ(place_in(solved.dump(), {"--model", "linear"}).status, 2);

  json many = board_with_parameters(90'000, 90'000);
  add_banks(many, 90'000);
  const Finished refused = place_in(solve_on(write("many.json", many)), {"--no-moves"});
  EXPECT_EQ(refused.status, 5);
  EXPECT_THAT(refused.err, HasSubstr("no bank has room for the parameters (95024 bytes)"));
}

// Parameters and gradients of 100 bytes fit the quick bank together. Rounded up one by one they
// would not.
TEST_F(KeptInBanks, AreRoundedOnceInEachBank) {
  json board = banked_board(224, 4096);
  board["parameters_in"] = "ram";
  const std::string platform = write("two.json", board);
  const std::string model =
      write("step.json",
            {{"format", "poet-model"},
             {"version", 2},
             {"name", "step"},
             {"update", "accumulate"},
             {"input", {{"shape", {"N", 4}}}},
             {"layers",
              {{{"name", "a"}, {"op", "linear"}, {"inputs", {"input"}}, {"out_features", 5}},
               {{"name", "loss"}, {"op", "cross_entropy"}, {"inputs", {"a"}}, {"classes", 5}}}}});
  const Finished solve = poet_solve({"solve", "--model", model, "--platform", platform,
                                     "--ram-budget", "100%", "--runtime-budget", "1"});
  const Finished run = place_in(solve.out);
  ASSERT_EQ(run.status, 0) << run.err;
  const json summary = document(run).at("summary");
  ASSERT_EQ(summary.at("kept").size(), 2);
  EXPECT_EQ(summary.at("banks")[0].at("kept_bytes"), 200);
  EXPECT_DOUBLE_EQ(summary.at("bank_seconds"), 700 / 4e6 + 156 / 1e6);
  EXPECT_EQ(poet_solve({"verify", "-", "--model", model, "--platform", platform}, run.out).status,
            0);
}

// 39 bytes are 32 for tensors and 7 for parameters.
TEST_F(KeptInBanks, LeaveTensorsWhatTheFormatSays) {
  json board = banked_board(39, 1);
  board["parameters_in"] = "ram";
  const json node = {{"name", "a"},
                     {"bytes", 32},
                     {"runtime_seconds", 1},
                     {"energy_joules", 1},
                     {"page_in_energy_joules", 1},
                     {"page_out_energy_joules", 1},
                     {"inputs", json::array()},
                     {"reads_parameters", {"w"}}};
  const json model = {{"format", "poet-model"}, {"version", 2},    {"name", "one"},
                      {"backward", "explicit"}, {"nodes", {node}}, {"parameters", {{"w", 7}}}};
  const std::string path = write("one.json", model);
  const Finished solve =
      poet_solve({"solve", "--model", path, "--ram-budget", "32", "--runtime-budget", "1"});
  const std::string near = write("near.json", board);
  const Finished run = place_in(solve.out, {"--model", path, "--platform", near});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(poet_solve({"verify", "-", "--model", path, "--platform", near}, run.out).status, 0);
}

TEST_F(KeptInBanks, LeaveTheReserveOfThePlatformThatIsGiven) {
  const std::string solved = solve_on(write("two.json", board_with_parameters(200'000, 600'000)));
  json other = board_with_parameters(200'000, 600'000);
  other["reserve_bytes"] = 5000;
  const std::string platform = write("other.json", other);
  const Finished run = place_in(solved, {"--platform", platform});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(document(run).at("summary").at("memory").at("reserve_bytes"), 5000);
  EXPECT_EQ(
      poet_solve({"verify", "-", "--model", "ds_cnn", "--platform", platform}, run.out).status, 0);
}

TEST_F(KeptInBanks, AreLeftOutIfTheBudgetTakesAll) {
  const std::string platform = write("two.json", board_with_parameters(200'000, 600'000));
  const Finished run = place_in(solve_on(platform, "700K"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(document(run).at("summary").count("kept"), 0);
  EXPECT_THAT(run.err, HasSubstr("the banks have no room for"));
  EXPECT_EQ(
      poet_solve({"verify", "-", "--model", "ds_cnn", "--platform", platform}, run.out).status, 0);
}

TEST_F(PlaceBanks, RefuseWhatMakesNoSense) {
  const std::string solved = in_half_a_megabyte();
  EXPECT_THAT(place_in(solved, {"--platform", "m4"}).err, HasSubstr("platform 'm4' has no banks"));
  EXPECT_THAT(place_in(solved, {"--bank-cost", "energy", "--capacity", "1M"}).err,
              HasSubstr("expected either"));
  EXPECT_THAT(place_in(solved, {"--platform", "stm32h743_banks", "--bank-cost", "energy"}).err,
              HasSubstr("the bank 'dtcm' has no joules_per_byte"));
}

}  // namespace
}  // namespace poet::test
