#include "solver/incumbent.hpp"

#include <algorithm>

#include "expect_input_error.hpp"
#include "support/tiny_sweep.hpp"

namespace poet {
namespace {

using test::hill_paged;
using test::hill_recomputed;
using testing::HasSubstr;

class IncumbentOfHill : public testing::Test {
 protected:
  Problem problem_{.graph = test::hill_graph(), .limits = test::point_of(120).limits};
  Incumbent incumbent_{problem_, baseline(problem_.graph)};
};

TEST_F(IncumbentOfHill, TakesWhatIsValidAndBetter) {
  EXPECT_TRUE(incumbent_.offer(hill_paged()));
  EXPECT_TRUE(incumbent_.offer(hill_recomputed()));
  EXPECT_FALSE(incumbent_.offer(hill_paged()));
  EXPECT_EQ(incumbent_.energy(), 6);
}

TEST_F(IncumbentOfHill, NamesThePhaseThatRaisedItsBoundLast) {
  EXPECT_EQ(incumbent_.bound_by(), "baseline");
  incumbent_.raise_bound(5.5, "glance");
  incumbent_.raise_bound(5.25, "proof");
  EXPECT_EQ(incumbent_.bound_by(), "glance");
  incumbent_.offer(hill_recomputed());
  incumbent_.raise_bound(100, "proof");
  EXPECT_EQ(incumbent_.bound(), incumbent_.energy());
  EXPECT_EQ(incumbent_.bound_by(), "proof");
}

TEST_F(IncumbentOfHill, AsksAtEveryStageWhetherToGoOnWithAReplay) {
  const auto stages = static_cast<int>(hill_paged().stages.size());
  int looks = 0;
  const auto offer_with = [&](int most) {
    looks = 0;
    return incumbent_.offer(hill_paged(), [&looks, most] { return ++looks > most; });
  };
  EXPECT_FALSE(offer_with(stages - 1));
  EXPECT_FALSE(incumbent_.schedule());
  EXPECT_TRUE(offer_with(stages));
  EXPECT_EQ(looks, stages);
}

TEST_F(IncumbentOfHill, KeepsWhatIsResidentInAscendingOrder) {
  Schedule schedule = hill_paged();
  for (Stage& stage : schedule.stages) std::ranges::reverse(stage.resident);
  ASSERT_NE(schedule, hill_paged());
  EXPECT_TRUE(incumbent_.offer(schedule));
  EXPECT_EQ(incumbent_.schedule(), hill_paged());
}

TEST_F(IncumbentOfHill, CheaperThanTheProvenBoundIsAnErrorOfOurs) {
  incumbent_.raise_bound(7, "proof");
  EXPECT_TRUE(incumbent_.offer(hill_paged()));
  EXPECT_THROW(incumbent_.offer(hill_recomputed()), InternalError);
}

TEST_F(IncumbentOfHill, AProofThatThereIsNoneIsAnErrorOfOursOnceThereIsOne) {
  EXPECT_NO_THROW(incumbent_.refuse_infeasible("the full model"));
  incumbent_.offer(hill_paged());
  const std::string error = internal_error([&] { incumbent_.refuse_infeasible("the full model"); });
  EXPECT_THAT(error, HasSubstr("the full model says that no schedule fits"));
  EXPECT_THAT(error, HasSubstr("a schedule of 9 J"));
}

}  // namespace
}  // namespace poet
