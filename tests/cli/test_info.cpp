#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

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

TEST(Info, SaysWhatIsInRamAndInFlashBesideTensors) {
  const Words words{"info", "ds_cnn", "--platform", "stm32h743_banks", "--backward", "exact"};
  EXPECT_THAT(
      poet_solve(words).out,
      HasSubstr("besides      in RAM beside tensors parameters 92.8 KiB, reserve 32 KiB\n"));
  const auto info = document(poet_solve(words + Words{"--json"}));
  EXPECT_EQ(info.at("memory").at("parameters_bytes"), 95'024);
  EXPECT_EQ(info.at("memory").at("reserve_bytes"), 32'768);
  EXPECT_EQ(document(poet_solve({"info", "linear", "--platform", "m4", "--json"})).count("memory"),
            0);
}

TEST(Info, ShowsTheShapesOfViews) {
  const Words exact{"info", "resnet18_cifar", "--backward", "exact"};
  const auto info = document(poet_solve(exact + Words{"--json"}));
  int views = 0;
  for (const auto& node : info.at("nodes")) {
    if (!node.contains("views")) continue;
    for (const auto& view : node.at("views")) {
      ++views;
      EXPECT_THAT(node.at("inputs"), testing::Contains(view.at("node")));
      EXPECT_NE(view.at("shape"), info.at("nodes").at(view.at("node").get<int>()).at("shape"));
    }
  }
  EXPECT_GT(views, 0) << "the last linear layer reads a flattened tensor";
  EXPECT_THAT(poet_solve(exact).out, HasSubstr(" (as 1x"));
}

TEST(Info, SaysWherePoetsChainIsNoTrainingStep) {
  const Finished run = poet_solve({"info", "resnet18_cifar"});
  EXPECT_EQ(count_lines(run.err), 1U);
  EXPECT_THAT(run.err, HasSubstr("which 2 layers read; --backward exact has the training step"));
  EXPECT_EQ(poet_solve({"info", "resnet18_cifar", "--backward", "exact"}).err, "");
  EXPECT_EQ(poet_solve({"info", "linear"}).err, "");
}

TEST(Alignment, RoundsEveryTensorOfAnExactGraph) {
  const Words exact{"info", "linear", "--backward", "exact", "--json"};
  const auto usual = document(poet_solve(exact));
  const auto aligned = document(poet_solve(exact + Words{"--alignment", "32"}));
  for (const auto& node : aligned.at("nodes")) {
    EXPECT_EQ(node.at("bytes").get<int>() % 32, 0) << node;
  }
  EXPECT_GT(aligned.at("baseline_peak_ram_bytes"), usual.at("baseline_peak_ram_bytes"));
  EXPECT_EQ(aligned.at("model").at("alignment"), 32);
  EXPECT_FALSE(usual.at("model").contains("alignment"));
}

TEST(Alignment, IsThatOfTheFileWhenItIsVerified) {
  const Words aligned =
      problem("linear", "m4", "80%", "2") + Words{"--backward", "exact", "--alignment", "32"};
  const Finished solved = poet_solve(aligned);
  EXPECT_EQ(document(solved).at("model").at("alignment"), 32);
  const Words verify{"verify", "-", "--model", "linear", "--platform", "m4"};
  EXPECT_EQ(poet_solve(verify, solved.out).status, 0);
  auto other = document(solved);
  other.at("model").erase("alignment");
  const Finished refused = poet_solve(verify, other.dump());
  EXPECT_EQ(refused.status, 5);
  EXPECT_THAT(refused.err, HasSubstr("the graph's digest is "));
}

TEST(Alignment, IsAPowerOfTwoForExactGraphs) {
  const Finished odd = poet_solve({"info", "linear", "--backward", "exact", "--alignment", "24"});
  EXPECT_EQ(odd.status, 2);
  EXPECT_THAT(odd.err, HasSubstr("--alignment: found 24, expected a power of two"));
  const Finished chain = poet_solve({"info", "linear", "--alignment", "8"});
  EXPECT_EQ(chain.status, 2);
  EXPECT_THAT(chain.err, HasSubstr("only the tensors of exact graphs are rounded"));
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
