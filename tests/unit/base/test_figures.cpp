#include <gtest/gtest.h>

#include "base/text/figures.hpp"
#include "poet/units.hpp"

namespace poet {
namespace {

using Texts = std::pair<std::string, std::string>;

TEST(Distinct, HasAsFewDigitsAsShowThatTwoNumbersDiffer) {
  EXPECT_EQ(distinct(12.345678901234567, 99), Texts("12.35", "99"));
  EXPECT_EQ(distinct(12.345678901234567, 12.345679), Texts("12.3456789", "12.345679"));
  EXPECT_EQ(distinct(0.1 + 0.2, 0.3), Texts("0.30000000000000004", "0.29999999999999999"));
  EXPECT_EQ(distinct(1e9, 1234.5), Texts("1000000000", "1234"));
  EXPECT_EQ(distinct(1234.5, 1234.25), Texts("1234.5", "1234.2"));
  EXPECT_EQ(distinct(1.0 / 3, 1.0 / 3), Texts("0.3333", "0.3333"));
}

TEST(Gap, AlignsInATableAndNeverReadsAsZeroUnlessItIs) {
  EXPECT_EQ(gap_figure(0.301), "30.1000");
  EXPECT_EQ(gap_figure(9.999960377237349e-05), "0.0100");
  EXPECT_EQ(gap_figure(1.2e-9), "1.2e-07");
  EXPECT_EQ(gap_figure(0), "0");
}

TEST(Gap, SaysInASentenceWhatItMeans) {
  EXPECT_EQ(gap_text(9.999960377237349e-05), "at most 0.01 % above the optimum");
  EXPECT_EQ(gap_text(1.2e-9), "at most 1.2e-07 % above the optimum");
  EXPECT_EQ(gap_text(0.14, 0.996),
            "at most 14 % above the optimum, nothing of the extra energy is proven needed");
  EXPECT_EQ(gap_text(1), "nothing of the energy is proven needed");
  EXPECT_EQ(gap_text(0), "exactly optimal");
  EXPECT_EQ(gap_text(1e-4, 0.0098), "at most 0.01 % above the optimum, 0.98 % of the extra energy");
  EXPECT_EQ(gap_text(1e-4, std::nullopt), "at most 0.01 % above the optimum");
  EXPECT_EQ(gap_text(0, 0), "exactly optimal");
}

TEST(Change, HasItsSignAndKeepsItsZeros) {
  EXPECT_EQ(change_text(0.301), "+30.100 %");
  EXPECT_EQ(change_text(-0.001, 4), "-0.1000 %");
  EXPECT_EQ(change_text(0), "+0.000 %");
  EXPECT_EQ(change_text(-0.0), "+0.000 %");
  EXPECT_EQ(change_text(1.2e-9), "+1.2e-07 %");
}

TEST(Zeros, StayInColumns) {
  EXPECT_EQ(format_joules(3.44, Zeros::kept), "3.440 J");
  EXPECT_EQ(format_joules(0.25, Zeros::kept), "250.0 mJ");
  EXPECT_EQ(format_bytes(1024 * 1024, Zeros::kept), "1.000 MiB");
  EXPECT_EQ(format_bytes(1010 * 1024, Zeros::kept), "1010 KiB");
  EXPECT_EQ(format_bytes(7, Zeros::kept), "7 B");
}

}  // namespace
}  // namespace poet
