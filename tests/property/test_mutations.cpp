// Every mistake is found: by the simulator in the stages, by verification in offsets and slots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mutations.hpp"

namespace poet::test {
namespace {

class Mutations : public testing::TestWithParam<Mutation> {};

TEST_P(Mutations, AreFoundByTheirJudgeForWhatTheyAre) {
  constexpr int kCases = 100;
  Twister random(seed_of_run());
  for (int i = 0; i < kCases; ++i) {
    const std::optional<Corrupted> corrupted = corrupt(random, GetParam());
    ASSERT_TRUE(corrupted) << "too few files offer a place; seed " << seed_of_run();
    ASSERT_THAT(findings(GetParam(), corrupted->file),
                testing::Contains(testing::HasSubstr(corrupted->finding)))
        << "seed " << seed_of_run() << ", case " << i;
  }
}

std::string name_of_test(const testing::TestParamInfo<Mutation>& test) {
  return std::string(test.param.name);
}

INSTANTIATE_TEST_SUITE_P(Stages, Mutations, testing::ValuesIn(stage_mutations()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Placed, Mutations, testing::ValuesIn(placed_mutations()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Banked, Mutations, testing::ValuesIn(banked_mutations()), name_of_test);

}  // namespace
}  // namespace poet::test
