#include <gtest/gtest.h>

#include "poet/units.hpp"

namespace poet {
namespace {

TEST(Parse, ReadsWholeTextsOnly) {
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("1,5"), std::nullopt);
  EXPECT_EQ(parse_number("inf"), std::nullopt);
  EXPECT_EQ(parse_bytes("0.29 GB"), 290000000);
  EXPECT_EQ(parse_bytes("0"), 0);
  EXPECT_EQ(parse_bytes("12 KiBs"), std::nullopt);
  EXPECT_EQ(parse_seconds("2min"), 120);
  EXPECT_EQ(parse_seconds("2"), std::nullopt);
}

TEST(Format, BytesInBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(737719), "720.4 KiB");
  EXPECT_EQ(format_bytes(1024 * 1024 - 1), "1 MiB");
  EXPECT_EQ(format_bytes(kMaxBytes), "8 PiB");
}

TEST(Format, EnergyAndTimeWithSiPrefixes) {
  EXPECT_EQ(format_joules(0.000553), "553 uJ");
  EXPECT_EQ(format_joules(0), "0 J");
  EXPECT_EQ(format_joules(36804.55957833599), "36.8 kJ");
  EXPECT_EQ(format_joules(-0.25), "-250 mJ");
  EXPECT_EQ(format_seconds(0.8), "800 ms");
  EXPECT_EQ(format_seconds(1.5860400000000001), "1.586 s");
  EXPECT_EQ(format_seconds(999.96), "1 ks");
  EXPECT_EQ(format_seconds(1e-18), "0.001 fs");
}

}  // namespace
}  // namespace poet
