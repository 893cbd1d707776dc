#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_input_error.hpp"
#include "poet/banks.hpp"

namespace poet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two at once, then a third that takes the room of the first.
BankProblem three_buffers() {
  return {.buffers = {{.lower = 0, .upper = 2, .bytes = 8},
                      {.lower = 0, .upper = 4, .bytes = 8},
                      {.lower = 2, .upper = 4, .bytes = 8}},
          .traffic = {8, 16, 80},
          .pinned = {},
          .banks = {{.bytes = 8, .cost_per_byte = 1}, {.bytes = 16, .cost_per_byte = 3}},
          .alignment = 1};
}

TEST(Banks, HoldWhatIsReadAndWrittenMostWhereThatIsCheapest) {
  const BankPlacement found = place_in_banks(three_buffers());
  ASSERT_EQ(found.status, PlacementStatus::fits);
  EXPECT_THAT(found.placement.banks, ElementsAre(0, 1, 0));
  EXPECT_THAT(found.placement.offsets, ElementsAre(0, 0, 0));
  EXPECT_DOUBLE_EQ(found.cost, 8 + 3 * 16 + 80);
  EXPECT_NEAR(found.bound, found.cost, 1e-6 * found.cost);
}

TEST(Banks, KeepWhatIsPinnedToThem) {
  BankProblem problem = three_buffers();
  problem.pinned = {-1, 0, -1};
  const BankPlacement found = place_in_banks(problem);
  ASSERT_EQ(found.status, PlacementStatus::fits);
  EXPECT_THAT(found.placement.banks, ElementsAre(1, 0, 1));
  EXPECT_DOUBLE_EQ(found.cost, 3 * 8 + 16 + 3 * 80);
}

// All three would fit the sum of the banks.
TEST(Banks, HoldNoBufferAcrossTwo) {
  BankProblem problem = three_buffers();
  problem.buffers[1].bytes = 12;
  problem.banks[1].bytes = 10;
  const BankPlacement found = place_in_banks(problem);
  EXPECT_EQ(found.status, PlacementStatus::impossible);
  EXPECT_THAT(found.left_over, ElementsAre(1));
  EXPECT_EQ(found.missing_bytes, 12);
  EXPECT_THAT(found.placement.banks, IsEmpty());
}

TEST(Banks, SayWhatIsMissingIfNothingFits) {
  BankProblem problem = three_buffers();
  problem.banks = {{.bytes = 8, .cost_per_byte = 1}, {.bytes = 7, .cost_per_byte = 3}};
  const BankPlacement found = place_in_banks(problem);
  EXPECT_EQ(found.status, PlacementStatus::impossible);
  EXPECT_EQ(found.missing_bytes, 8);
}

TEST(Banks, RefuseWhatMakesNoSense) {
  BankProblem problem = three_buffers();
  problem.pinned = {0, 2, 0};
  EXPECT_THAT(input_error([&] { place_in_banks(problem); }), HasSubstr("pinned to bank 2"));
  problem = three_buffers();
  problem.traffic[1] = -1;
  EXPECT_THAT(input_error([&] { place_in_banks(problem); }), HasSubstr("buffer 1 has -1 bytes"));
  problem = three_buffers();
  problem.banks.clear();
  EXPECT_THAT(input_error([&] { place_in_banks(problem); }), HasSubstr("at least one bank"));
}

}  // namespace
}  // namespace poet
