// What is best known of a problem gets better or stays as it is, and never contradicts itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files/files.hpp"
#include "bench/best_known.hpp"
#include "bench/best_known_file.hpp"
#include "expect_input_error.hpp"
#include "support/temporary_folder.hpp"

namespace poet::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kName = "linear/m4 4000 1.5x";

/// Of one problem whose baseline takes 100 J.
Measurement measured(Joules energy, Joules bound) {
  return {.instance = {"linear", "m4", 4000, 1.5},
          .time_limit_seconds = 20,
          .figures = {.finished = true,
                      .status = Status::feasible,
                      .has_schedule = true,
                      .valid = true,
                      .baseline_joules = 100,
                      .energy_joules = energy,
                      .bound_joules = bound},
          .graph_sha256 = "graph"};
}

Measurement without_schedule(Status status) {
  Measurement m = measured(0, 0);
  m.figures.status = status;
  m.figures.has_schedule = m.figures.valid = false;
  return m;
}

/// After a first run that found 110 J and showed 105 J.
BestKnown known_one() {
  BestKnown known;
  improve(known, {measured(110, 105)}, "first");
  return known;
}

TEST(BestKnown, OfANewProblemIsWhatWasMeasured) {
  BestKnown known;
  const BestUpdate update = improve(known, {measured(110, 105)}, "first");
  EXPECT_EQ(update.new_problems, 1);
  ASSERT_TRUE(known.contains(kName));
  EXPECT_EQ(known.at(kName).energy_joules, 110);
  EXPECT_EQ(known.at(kName).energy_from, "first, 20 s");
  EXPECT_EQ(known.at(kName).bound_joules, 105);
  EXPECT_EQ(known.at(kName).baseline_joules, 100);
}

TEST(BestKnown, TakesEnergyAndBoundFromDifferentRuns) {
  BestKnown known = known_one();
  EXPECT_EQ(improve(known, {measured(108, 103)}, "second").better_energies, 1);
  EXPECT_EQ(improve(known, {measured(112, 107)}, "third").better_bounds, 1);
  const BestFigures& best = known.at(kName);
  EXPECT_EQ(best.energy_joules, 108);
  EXPECT_EQ(best.energy_from, "second, 20 s");
  EXPECT_EQ(best.bound_joules, 107);
  EXPECT_EQ(best.bound_from, "third, 20 s");
}

TEST(BestKnown, NeverGetsWorse) {
  BestKnown known = known_one();
  const BestKnown before = known;
  const std::vector<Measurement> worse{measured(110, 105), measured(111, 104), measured(115, 0),
                                       without_schedule(Status::unknown)};
  for (const Measurement& m : worse) {
    const BestUpdate update = improve(known, {m}, "later");
    EXPECT_THAT(update.faults, IsEmpty());
    EXPECT_EQ(update.better_energies + update.better_bounds + update.new_problems, 0);
    EXPECT_EQ(known, before) << "after an energy of " << m.figures.energy_joules;
  }
}

TEST(BestKnown, KeepsAnEnergyWhereALaterRunOnlyRaisesTheBound) {
  BestKnown known = known_one();
  Measurement bound_only = without_schedule(Status::unknown);
  bound_only.figures.bound_joules = 109;
  improve(known, {bound_only}, "second");
  EXPECT_EQ(known.at(kName).energy_joules, 110);
  EXPECT_EQ(known.at(kName).bound_joules, 109);
}

TEST(BestKnown, RefusesABoundAboveAKnownEnergy) {
  BestKnown known = known_one();
  const BestKnown before = known;
  const BestUpdate update = improve(known, {measured(113, 111)}, "second");
  EXPECT_THAT(update.faults, ElementsAre(AllOf(HasSubstr(kName), HasSubstr("111 J (second, 20 s)"),
                                               HasSubstr("110 J (first, 20 s)"))));
  EXPECT_EQ(known, before);
}

TEST(BestKnown, RefusesAnEnergyBelowAKnownBound) {
  BestKnown known = known_one();
  const BestKnown before = known;
  const BestUpdate update = improve(known, {measured(104, 101)}, "second");
  EXPECT_THAT(update.faults, ElementsAre(AllOf(HasSubstr(kName), HasSubstr("105 J (first, 20 s)"),
                                               HasSubstr("104 J (second, 20 s)"))));
  EXPECT_EQ(known, before);
}

TEST(BestKnown, AllowsABoundThatMeetsTheEnergyUpToRounding) {
  BestKnown known = known_one();
  EXPECT_THAT(improve(known, {measured(110, 110 * (1 + 1e-12))}, "second").faults, IsEmpty());
  EXPECT_THAT(improve(known, {measured(110, 110 * (1 + 1e-6))}, "third").faults,
              ElementsAre(HasSubstr("is above the energy")));
}

TEST(BestKnown, TakesNothingOfARunThatContradictsItSomewhere) {
  BestKnown known = known_one();
  Measurement other = measured(120, 119);
  other.instance.ram_bytes = 3500;
  const BestKnown before = known;
  EXPECT_THAT(improve(known, {other, measured(104, 101)}, "second").faults, testing::SizeIs(1));
  EXPECT_EQ(known, before);
}

TEST(BestKnown, RefusesAProofThatThereIsNoScheduleWhereOneIsKnown) {
  BestKnown known = known_one();
  EXPECT_THAT(improve(known, {without_schedule(Status::infeasible)}, "second").faults,
              ElementsAre(HasSubstr("proven to have no schedule")));
  BestKnown none;
  improve(none, {without_schedule(Status::infeasible)}, "first");
  EXPECT_TRUE(none.at(kName).infeasible);
  EXPECT_THAT(improve(none, {measured(110, 105)}, "second").faults,
              ElementsAre(HasSubstr("proven to have no schedule")));
  EXPECT_TRUE(none.at(kName).infeasible);
}

TEST(BestKnown, KeepsAProofThatThereIsNoSchedule) {
  BestKnown known;
  Measurement bound_only = without_schedule(Status::unknown);
  bound_only.figures.bound_joules = 109;
  improve(known, {bound_only}, "first");
  EXPECT_EQ(improve(known, {without_schedule(Status::infeasible)}, "second").better_bounds, 1);
  EXPECT_EQ(improve(known, {bound_only}, "third").better_bounds, 0);
  EXPECT_TRUE(known.at(kName).infeasible);
  EXPECT_EQ(known.at(kName).bound_from, "second, 20 s");
}

TEST(BestKnown, RefusesAnotherGraph) {
  BestKnown known = known_one();
  Measurement other = measured(90, 85);
  other.graph_sha256 = "other";
  EXPECT_THAT(improve(known, {other}, "second").faults, ElementsAre(HasSubstr("another graph")));
  EXPECT_EQ(known, known_one());
}

TEST(BestKnown, RefusesAnAnswerThatIsWrongAndSkipsASolveThatCrashed) {
  BestKnown known = known_one();
  Measurement m = measured(106, 105);
  m.failure = "invalid schedule";
  EXPECT_THAT(improve(known, {m}, "second").faults, ElementsAre(kName + ": invalid schedule"));
  m.figures.finished = false;
  EXPECT_THAT(improve(known, {m}, "second").faults, IsEmpty());
  EXPECT_EQ(known, known_one());
}

TEST(BestKnown, IsReadBackAsItWas) {
  BestKnown known = known_one();
  Measurement other = without_schedule(Status::infeasible);
  other.instance.ram_bytes = 100;
  improve(known, {other}, "first");
  other = without_schedule(Status::unknown);
  other.instance.ram_bytes = 200;
  improve(known, {other}, "first");
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_best_known(folder.write("best.jsonl", best_known_text(known))), known);
  EXPECT_EQ(read_best_known(folder.file("missing.jsonl")), BestKnown());
}

TEST(BestKnown, OfAFileIsUpdatedOrLeftAsItWas) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("best.jsonl");
  EXPECT_EQ(update_best_known(path, {measured(110, 105)}, "first").new_problems, 1);
  EXPECT_EQ(read_best_known(path), known_one());
  EXPECT_EQ(update_best_known(path, {measured(108, 105)}, "second").better_energies, 1);
  EXPECT_EQ(read_best_known(path).at(kName).energy_joules, 108);
  const std::string before = read_file(path);
  EXPECT_THAT(update_best_known(path, {measured(104, 101)}, "third").faults,
              ElementsAre(HasSubstr(kName)));
  EXPECT_EQ(read_file(path), before);
  EXPECT_THAT(folder.contents(), ElementsAre("best.jsonl"));
}

TEST(BestKnown, OfAFileIsCheckedLineByLine) {
  const test::TemporaryFolder folder;
  const std::string line = best_known_text(known_one());
  const auto error_of = [&](const std::string& text) {
    const std::string path = folder.write("best.jsonl", text);
    return input_error([&] { read_best_known(path); });
  };
  EXPECT_THAT(error_of(line + line), AllOf(HasSubstr("best.jsonl:2"), HasSubstr("comes twice")));
  EXPECT_THAT(error_of(line + "{}\n"), AllOf(HasSubstr("best.jsonl:2"), HasSubstr("problem")));
  BestKnown wrong = known_one();
  wrong.at(kName).bound_joules = 120;
  EXPECT_THAT(error_of(best_known_text(wrong)),
              AllOf(HasSubstr("best.jsonl:1"), HasSubstr("above the energy")));
}

TEST(BestKnown, IsWhatAnInstanceIsComparedWith) {
  Instance instance{"linear", "m4", 4000, 1.5};
  const Problem problem = problem_of(instance);
  BestKnown known = known_one();
  EXPECT_THAT(input_error([&] { compare_with(known, instance); }), HasSubstr("another graph"));
  known.at(kName).graph_sha256 = graph_sha256(problem.graph, problem.limits.paging_time);
  compare_with(known, instance);
  EXPECT_EQ(instance.best_extra_joules, 10);
  instance.best_extra_joules = 9;
  compare_with(known, instance);
  EXPECT_EQ(instance.best_extra_joules, 9);
}

}  // namespace
}  // namespace poet::bench
