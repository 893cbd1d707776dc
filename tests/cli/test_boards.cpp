#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

std::string platform_of(const Words& options) {
  const Finished run = poet_solve(Words{"info", "linear", "--json", "--platform"} + options);
  EXPECT_EQ(run.status, 0) << run.err;
  return document(run).at("platform").at("name");
}

TEST(Boards, AreFoundAsPeopleCallThem) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"STM32F746", "stm32f746"},
      {"ESP32-S3", "esp32s3"},
      {"nRF52840", "nrf52840"},
      {"pico", "rp2040"},
      {"Raspberry Pi 4", "rpi4"},
      {"raspberrypi4", "rpi4"},
      {"NUCLEO-F446RE", "stm32f446"},
      {"Arduino Nano 33 BLE", "nrf52840"},
      {"M4", "m4"}};
  for (const auto& [called, name] : names) EXPECT_EQ(platform_of({called}), name) << called;
}

TEST(Boards, ThatAreDescribedByTheWordsOfAnUnknownNameAreListed) {
  const Finished core = poet_solve({"info", "linear", "--platform", "Cortex-M33"});
  EXPECT_EQ(core.status, 2);
  EXPECT_THAT(core.err, HasSubstr("'Cortex-M33'; described so: nucleo_u575, stm32u585 ("));
  EXPECT_THAT(poet_solve({"info", "linear", "--platform", "h7"}).err,
              HasSubstr("described so: nucleo_h7a3, stm32h743, stm32h743_banks"));
  // Sources name boards that others were estimated from.
  EXPECT_THAT(poet_solve({"info", "linear", "--platform", "araobp"}).err,
              testing::Not(HasSubstr("described")));
}

TEST(Boards, TakeAnotherSizeWhichChipFollows) {
  EXPECT_EQ(platform_of({"stm32f401", "--set", "ram=256K", "--set", "flash=1M"}),
            "stm32f401:ram=256K:flash=1M");
  const auto budget = [](const Words& platform) {
    const Finished run =
        poet_solve(Words{"--model", "linear", "--backward", "exact", "--ram-budget", "chip",
                         "--runtime-budget", "2", "--effort", "fast", "--platform"} +
                   platform);
    EXPECT_EQ(run.status, 0) << run.err;
    return document(run).at("request").at("ram_budget_bytes").get<std::int64_t>();
  };
  const std::int64_t more = budget({"stm32f746", "--set", "ram=400K"});
  EXPECT_EQ(budget({"stm32f746:ram=500K"}) - more, 100 * 1024);
}

TEST(Boards, RefuseSizesThatAreNone) {
  const auto error = [](const Words& words) {
    const Finished run = poet_solve(Words{"info", "linear"} + words);
    EXPECT_EQ(run.status, 2);
    return run.err;
  };
  EXPECT_THAT(error({"--platform", "m4", "--set", "ram=big"}),
              HasSubstr("--platform: found 'ram=big'; expected ram, flash, reserve or storage"));
  EXPECT_THAT(error({"--set", "ram=256K"}), HasSubstr("--set: found ram=256K without --platform"));
  EXPECT_THAT(error({"--platform", "stm32h743_banks", "--set", "ram=256K"}),
              HasSubstr("/ram_bytes: found the number 262144, expected 1015808, the sum of the"));
}

}  // namespace
}  // namespace poet::test
