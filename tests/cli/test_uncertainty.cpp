// Platforms whose figures lie within intervals: what a solve says, and what `verify` finds.

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

/// A board on which `linear` may page or recompute, depending on what either costs.
constexpr const char* kBoard = R"({"format": "poet-platform", "version": 2, "name": "b",
 "flops_per_second": [4e6, 9e6], "flops_per_joule": [1e7, 1e9],
 "page_in": {"latency_seconds": 0, "bytes_per_second": 4e6},
 "page_out": {"latency_seconds": 0, "bytes_per_second": 4e6},
 "memory_power_watts": [0.01, 1], "standing": "estimated"})";

class UncertainPlatforms : public testing::Test {
 protected:
  Finished solve(const Words& more = {}) const {
    return poet_solve(problem("linear", board_, "3500", "1.2") +
                      Words{"--replace", "--output", schedule_} + more);
  }

  /// The same for each test: solved once.
  const Finished& solve_once() const {
    static std::string text;
    static const Finished run = [&] {
      Finished finished = solve();
      text = contents_of(schedule_);
      return finished;
    }();
    folder_.write("schedule.json", text);
    return run;
  }

  json file() const { return json::parse(contents_of(schedule_)); }

  /// What `verify` says of the schedule once `change` was at it.
  template <typename Change>
  std::string found_after(Change change, const Words& more = {}) const {
    json changed = file();
    change(changed["summary"]);
    const Finished run =
        poet_solve(Words{"verify", folder_.write("changed.json", changed.dump())} + more);
    EXPECT_EQ(run.status, 5);
    return run.err;
  }

  TemporaryFolder folder_;
  std::string board_ = folder_.write("b.json", kBoard);
  std::string schedule_ = folder_.file("schedule.json");
};

TEST_F(UncertainPlatforms, GetTheRegretOfTheScheduleAndWhatDecides) {
  const Finished& run = solve_once();
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("the schedule costs at most"), HasSubstr("decides about '")));
  const json range = file().at("summary").at("energy_range");
  EXPECT_THAT(range.at("figures"), ElementsAre("/flops_per_joule", "/memory_power_watts"));
  EXPECT_THAT(range.at("low_ends"), ElementsAre(1e7, 0.01));
  EXPECT_EQ(range.at("schedule_joules").size(), 4U);
  EXPECT_GT(range.at("regret_found"), 0);
  EXPECT_GE(range.at("regret_bound"), range.at("regret_found"));
  EXPECT_FALSE(range.at("deciding_nodes").empty());
  const json times = file().at("summary").at("runtime_range");
  EXPECT_NEAR(times.at("most_seconds").get<double>() / times.at("least_seconds").get<double>(),
              9.0 / 4, 1e-9);
  EXPECT_FALSE(times.at("keeps_budget"));
}

TEST_F(UncertainPlatforms, AreSolvedAtTheGeometricMeansOrAtEitherEnd) {
  solve_once();
  const double middle = file().at("summary").at("baseline_energy_joules");
  EXPECT_FALSE(file().at("request").contains("at"));
  for (const auto& [end, factor] : {std::pair{"low", 0.1}, std::pair{"high", 10.0}}) {
    ASSERT_EQ(solve({"--at", end}).status, 0);
    const json found = file();
    EXPECT_EQ(found.at("request").at("at"), end);
    EXPECT_NEAR(found.at("summary").at("baseline_energy_joules").get<double>() / middle, factor,
                1e-9);
    // The schedule is the best one at its own corner.
    const json range = found.at("summary").at("energy_range");
    const std::size_t corner = std::string(end) == "low" ? 1 : 2;
    EXPECT_DOUBLE_EQ(range.at("schedule_joules")[corner], found.at("summary").at("energy_joules"));
    EXPECT_EQ(poet_solve({"verify", schedule_, "--model", "linear", "--platform", board_}).status,
              0);
  }
}

TEST_F(UncertainPlatforms, HaveTheirFiguresVerified) {
  solve_once();
  const Words all = {"--model", "linear", "--platform", board_};
  EXPECT_EQ(poet_solve({"verify", schedule_}).status, 0);
  EXPECT_EQ(poet_solve(Words{"verify", schedule_} + all).status, 0);
  for (const char* const key : {"schedule_joules", "found_joules", "bound_joules"}) {
    for (std::size_t corner = 0; corner < 4; ++corner) {
      const auto change = [&](json& summary) {
        json& value = summary["energy_range"][key][corner];
        value = value.get<double>() * (std::string(key) == "schedule_joules" ? 1.01 : 1e3);
      };
      EXPECT_THAT(found_after(change), HasSubstr("summary.energy_range")) << key << corner;
    }
  }
  EXPECT_THAT(found_after([](json& s) { s["energy_range"]["regret_bound"] = 1e3; }),
              HasSubstr("regret_bound is"));
  EXPECT_THAT(found_after([](json& s) { s["energy_range"]["low_ends"][0] = 2e7; }),
              HasSubstr("at the file's own point"));
  EXPECT_THAT(found_after([](json& s) { s["energy_range"]["figures"] = json::array(); }),
              HasSubstr("has not the form of a box"));
  EXPECT_THAT(found_after([](json& s) { s["runtime_range"]["keeps_budget"] = true; }),
              HasSubstr("keeps_budget is true"));
  EXPECT_THAT(found_after([](json& s) { s["runtime_range"]["least_seconds"] = 0; }, all),
              HasSubstr("summary.runtime_range is not what the platform says"));
  // Energies that fit each other, but not the platform.
  const auto scale = [](json& summary) {
    for (const char* const end : {"low_ends", "high_ends"}) {
      json& value = summary["energy_range"][end][1];
      value = value.get<double>() * 2;
    }
  };
  EXPECT_THAT(found_after(scale, all), HasSubstr("has other intervals than the platform"));
}

TEST_F(UncertainPlatforms, AreNoOthers) {
  const Finished run = poet_solve(quick_problem());
  EXPECT_THAT(run.err, Not(HasSubstr("intervals")));
  EXPECT_THAT(run.out, AllOf(Not(HasSubstr("energy_range")), Not(HasSubstr("runtime_range"))));
  const Finished at_end = poet_solve(quick_problem() + Words{"--at", "high"});
  EXPECT_EQ(document(at_end).at("summary").at("energy_joules"),
            document(run).at("summary").at("energy_joules"));
  EXPECT_THAT(poet_solve(quick_problem() + Words{"--at", "top"}).err, HasSubstr("--at"));
}

}  // namespace
}  // namespace poet::test
