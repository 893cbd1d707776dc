#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Info, ShowsWhatAModelComesToOnAPlatform) {
  const Finished run = poet_solve({"info", "linear", "--platform", "m4"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, HasSubstr("27: 14 forward, 13 backward (poet-chain)\n"));
  EXPECT_THAT(run.out, HasSubstr("7416 bytes (7.242 KiB) if everything is kept\n"));
  EXPECT_THAT(run.out, HasSubstr("3256 bytes (3.18 KiB): no schedule needs less RAM, because of "
                                 "node 26 ('grad(fc1)', gradient)\n"));
  EXPECT_THAT(run.out, HasSubstr("energy J"));
  EXPECT_EQ(count_lines(run.out), 8U + 1 + 28);  // figures, an empty line, a table
}

TEST(Info, AgreesWithTheSolve) {
  const auto info = document(poet_solve({"info", "linear", "--platform", "m4", "--json"}));
  EXPECT_EQ(info.at("format"), "poet-info");
  EXPECT_EQ(info.at("version"), 1);
  const auto solved = document(poet_solve(problem("linear", "m4", "100%", "1")));
  EXPECT_EQ(info.at("model"), solved.at("model"));
  EXPECT_EQ(info.at("platform"), solved.at("platform"));
  const auto& summary = solved.at("summary");
  EXPECT_EQ(info.at("baseline_energy_joules"), summary.at("baseline_energy_joules"));
  EXPECT_EQ(info.at("baseline_runtime_seconds"), summary.at("runtime_seconds"));
  EXPECT_EQ(info.at("baseline_peak_ram_bytes"), summary.at("baseline_peak_ram_bytes"));
  EXPECT_EQ(info.at("working_set_bytes"), 3256);
  EXPECT_EQ(info.at("working_set_node_name"), "grad(fc1)");
  ASSERT_EQ(info.at("nodes").size(), solved.at("nodes").size());
  for (std::size_t i = 0; i < info.at("nodes").size(); ++i) {
    const auto& node = info.at("nodes").at(i);
    EXPECT_EQ(node.at("node"), i);
    for (const char* key : {"name", "op", "bytes", "runtime_seconds", "energy_joules", "inputs"}) {
      EXPECT_EQ(node.at(key), solved.at("nodes").at(i).at(key)) << key;
    }
  }
}

TEST(Info, NeedsNoPlatformForSizes) {
  const auto info = document(poet_solve({"info", "linear", "--batch-size", "2", "--json"}));
  EXPECT_TRUE(info.at("platform").is_null());
  EXPECT_EQ(info.at("element_bytes"), 4);
  EXPECT_TRUE(info.at("baseline_energy_joules").is_null());
  EXPECT_TRUE(info.at("baseline_runtime_seconds").is_null());
  EXPECT_EQ(info.at("working_set_bytes"), 2 * 3256);
  const auto& node = info.at("nodes").at(1);
  EXPECT_THAT(node.at("shape"), ElementsAre(2, node.at("shape").at(1)));
  EXPECT_TRUE(node.at("energy_joules").is_null());
  EXPECT_GT(info.at("parameter_count"), 0);
  EXPECT_GT(info.at("flop"), 0);
  const Finished table = poet_solve({"info", "linear"});
  EXPECT_THAT(table.out, HasSubstr("none; sizes at 4 bytes an element, costs unknown"));
  EXPECT_THAT(table.out, testing::Not(HasSubstr("energy")));
}

TEST(Info, HasTheCostsThatAModelStates) {
  const Finished run = poet_solve({"info", "-", "--json"}, measured_model());
  EXPECT_EQ(run.status, 0);
  const auto info = document(run);
  EXPECT_EQ(info.at("baseline_energy_joules"), 6.0);
  EXPECT_EQ(info.at("baseline_runtime_seconds"), 3.0);
  EXPECT_EQ(info.at("baseline_peak_ram_bytes"), 60);
  EXPECT_TRUE(info.at("element_bytes").is_null());
  EXPECT_EQ(info.at("nodes").at(2).at("backward"), true);
}

TEST(Info, WritesToAFileIfAskedTo) {
  const TemporaryFolder folder;
  const Finished run =
      poet_solve({"info", "linear", "--json", "--output", folder.file("info.json")});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(as_document(contents_of(folder.file("info.json"))).at("format"), "poet-info");
}

TEST(Info, RefusesWhatItCannotRead) {
  const Finished model = poet_solve({"info", "liner"});
  EXPECT_EQ(model.status, 2);
  EXPECT_EQ(model.out, "");
  EXPECT_THAT(model.err, HasSubstr("MODEL: unknown model 'liner'; did you mean 'linear'?"));
  const Finished platform = poet_solve({"info", "linear", "--platform", "m5"});
  EXPECT_EQ(platform.status, 2);
  EXPECT_THAT(platform.err, HasSubstr("--platform: unknown platform 'm5'"));
  EXPECT_EQ(poet_solve({"info"}).status, 2);
  EXPECT_EQ(poet_solve({"info", "-", "--platform", "-"}, "{}").status, 2);
}

}  // namespace
}  // namespace poet::test
