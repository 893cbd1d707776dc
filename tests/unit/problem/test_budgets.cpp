#include "expect_input_error.hpp"
#include "poet/problem.hpp"

namespace poet {
namespace {

Bytes bytes_of(std::string_view text) {
  return std::get<Bytes>(parse_ram_budget(text));
}
double ratio_of(std::string_view text) {
  return std::get<Ratio>(parse_ram_budget(text)).value;
}

TEST(RamBudget, ReadsSizesInAnyUnitAndCase) {
  EXPECT_EQ(bytes_of("737719"), 737719);
  EXPECT_EQ(bytes_of("1B"), 1);
  EXPECT_EQ(bytes_of("256KiB"), 262144);
  EXPECT_EQ(bytes_of("256 kib"), 262144);
  EXPECT_EQ(bytes_of("1.5MB"), 1500000);
  EXPECT_EQ(bytes_of("2GiB"), Bytes{2} << 30U);
  EXPECT_EQ(bytes_of("9007199254740992"), kMaxBytes);
}

TEST(RamBudget, ReadsSizesAsLsPrintsThem) {
  EXPECT_EQ(bytes_of("256K"), 262144);
  EXPECT_EQ(bytes_of("256k"), 262144);
  EXPECT_EQ(bytes_of("1.5M"), 1572864);
  EXPECT_EQ(bytes_of("2G"), Bytes{2} << 30U);
  EXPECT_EQ(bytes_of("2TiB"), Bytes{2} << 40U);
  EXPECT_EQ(bytes_of("2TB"), 2'000'000'000'000);
  EXPECT_EQ(bytes_of("8P"), kMaxBytes);
}

TEST(RamBudget, ReadsWhatIsPrinted) {
  for (const Bytes bytes : {Bytes{1}, Bytes{1023}, Bytes{737719}, Bytes{2453760}, Bytes{1} << 34U,
                            Bytes{3} << 41U, kMaxBytes}) {
    const std::string printed = format_bytes(bytes);
    SCOPED_TRACE(printed);
    const auto read = static_cast<double>(bytes_of(printed));
    EXPECT_NEAR(read, static_cast<double>(bytes), 1e-3 * static_cast<double>(bytes));
  }
}

TEST(RamBudget, RoundsDownExactly) {
  EXPECT_EQ(bytes_of("0.29GB"), 290'000'000);
  EXPECT_EQ(bytes_of("1.9999B"), 1);
  EXPECT_EQ(bytes_of("0.0015kB"), 1);
  EXPECT_EQ(bytes_of("0.99999999999999999999kB"), 999);
}

TEST(RamBudget, ReadsShares) {
  EXPECT_DOUBLE_EQ(ratio_of("60%"), 0.6);
  EXPECT_DOUBLE_EQ(ratio_of("12.5 %"), 0.125);
  EXPECT_DOUBLE_EQ(ratio_of("0.6"), 0.6);
  EXPECT_DOUBLE_EQ(ratio_of("0.125 "), 0.125);
  EXPECT_EQ(bytes_of("1"), 1);
  EXPECT_EQ(bytes_of("1.0"), 1);
}

TEST(RamBudget, ReadsNames) {
  EXPECT_TRUE(is_smallest(parse_ram_budget("min")));
  EXPECT_FALSE(is_smallest(parse_ram_budget("chip")));
  EXPECT_FALSE(is_smallest(parse_ram_budget("60%")));
  const Baseline base{.peak_ram_bytes = 1000};
  EXPECT_EQ(resolve(parse_ram_budget("min"), base, {.smallest = 300}), 300);
  EXPECT_EQ(resolve(parse_ram_budget("chip"), base, {.chip = 262144}), 262144);
  EXPECT_EQ(resolve(parse_ram_budget("60%"), base, {.smallest = 300, .chip = 262144}), 600);
  EXPECT_THAT(input_error([&] { resolve(parse_ram_budget("chip"), base, {.smallest = 300}); }),
              testing::HasSubstr("found 'chip', but no platform states the RAM of its chip; "
                                 "expected a size such as 256K or 60%, or a platform file with "
                                 "\"ram_bytes\""));
  EXPECT_THROW(resolve(parse_ram_budget("min"), base), InputError);
}

TEST(RamBudget, RefusesWhatIsNoSize) {
  for (const std::string_view text : {"",
                                      "0",
                                      "0.5B",
                                      "-1",
                                      "+1",
                                      "1e6",
                                      "0x10",
                                      "1,5MB",
                                      "1.MB",
                                      ".5MB",
                                      "KiB",
                                      "12KK",
                                      "1x",
                                      "0.0",
                                      ".5",
                                      "5e-1",
                                      "-0.5",
                                      "0.5 0.5",
                                      "minimum",
                                      "Min",
                                      "chips",
                                      "12 XB",
                                      "nan",
                                      "inf",
                                      "0%",
                                      "-5%",
                                      "nan%",
                                      "%",
                                      "9007199254740993",
                                      "99999999999999999999",
                                      "9999999999GiB",
                                      "1 2",
                                      " 5"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(parse_ram_budget(text), InputError);
  }
  EXPECT_THAT(input_error([] { parse_ram_budget("12XB"); }),
              testing::HasSubstr("found '12XB', expected a size"));
}

TEST(RuntimeBudget, ReadsMultiplesAndTimes) {
  EXPECT_DOUBLE_EQ(std::get<Ratio>(parse_runtime_budget("1.5")).value, 1.5);
  EXPECT_DOUBLE_EQ(std::get<Ratio>(parse_runtime_budget("1")).value, 1.0);
  EXPECT_DOUBLE_EQ(std::get<Ratio>(parse_runtime_budget("1.5x")).value, 1.5);
  EXPECT_DOUBLE_EQ(std::get<Ratio>(parse_runtime_budget("3 x")).value, 3);
  EXPECT_DOUBLE_EQ(std::get<Ratio>(parse_runtime_budget("150%")).value, 1.5);
  EXPECT_DOUBLE_EQ(std::get<double>(parse_runtime_budget("12.5s")), 12.5);
  EXPECT_DOUBLE_EQ(std::get<double>(parse_runtime_budget("800ms")), 0.8);
  EXPECT_DOUBLE_EQ(std::get<double>(parse_runtime_budget("250us")), 250e-6);
  EXPECT_DOUBLE_EQ(std::get<double>(parse_runtime_budget("2min")), 120);
  EXPECT_DOUBLE_EQ(std::get<double>(parse_runtime_budget("1 h")), 3600);
}

TEST(RuntimeBudget, RefusesWhatIsNoTime) {
  for (const std::string_view text :
       {"", "0", "0.99", "-1", "0s", "-3s", "nan", "inf", "1e400", "1,5", "5 days", "s", "1s2",
        "1e-400s", "x", "0.5x", "50%", "1.5xx", "1.5sx"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(parse_runtime_budget(text), InputError);
  }
}

}  // namespace
}  // namespace poet
