// Copies for gradients that a search chooses, as a user asks for them, and what a result about some
// copies says about others.
#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

constexpr const char* kConvolutions = R"({"format": "poet-model", "version": 2, "name": "small",
  "backward": "exact", "inputs": {"input": {"shape": ["N", 4, 16, 16]}}, "layers": [
  {"name": "conv1", "op": "conv2d", "inputs": ["input"], "out_channels": 8, "kernel": 3, "padding": "same"},
  {"name": "relu1", "op": "relu", "inputs": ["conv1"]},
  {"name": "conv2", "op": "conv2d", "inputs": ["relu1"], "out_channels": 8, "kernel": 3, "padding": "same"},
  {"name": "relu2", "op": "relu", "inputs": ["conv2"]},
  {"name": "conv3", "op": "conv2d", "inputs": ["relu2"], "out_channels": 8, "kernel": 3, "padding": "same"},
  {"name": "relu3", "op": "relu", "inputs": ["conv3"]},
  {"name": "flat", "op": "flatten", "inputs": ["relu3"]},
  {"name": "fc", "op": "linear", "inputs": ["flat"], "out_features": 4},
  {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 4}]})";

class CopyChoices : public testing::Test {
 protected:
  CopyChoices() { folder_.write("small.json", kConvolutions); }

  Finished run(const Words& words) const {
    Command command = poet_solve_command(words);
    command.directory = folder_.path();
    return run_program(command);
  }

  Finished solve(const std::string& ram, const Words& more) const {
    return run(Words{"--model", "small.json", "--platform", "m4", "--ram-budget", ram,
                     "--runtime-budget", "3", "--no-paging", "--effort", "fast"} +
               more);
  }

  /// Without copies, and as hard as it takes.
  Finished proven(const std::string& ram) const {
    return run({"--model", "small.json", "--platform", "m4", "--ram-budget", ram,
                "--runtime-budget", "3", "--no-paging"});
  }

  /// A budget without a schedule, if there are no copies.
  std::string below_the_smallest() const {
    const Finished smallest = proven("min");
    EXPECT_EQ(smallest.status, 0) << smallest.err;
    const json request = json::parse(smallest.out).at("request");
    return std::to_string(request.at("ram_budget_bytes").get<std::int64_t>() - 4);
  }

  Finished sweep_in(const std::string& output, const Words& more) const {
    return run(
        sweep("small.json", "m4", "95%,90%", "3",
              Words{"--techniques", "remat", "--effort", "fast", "--output", output} + more));
  }

  void write_lines(const std::string& name, const Lines& lines) const {
    std::string text;
    for (const json& line : lines) text += line.dump() + "\n";
    folder_.write(name, text);
  }

  TemporaryFolder folder_;
};

double energy_of(const Finished& finished) {
  return json::parse(finished.out).at("summary").at("energy_joules");
}

TEST_F(CopyChoices, OfOneByteCostLessThanRecomputationAndTheFileSaysWhich) {
  const Finished without = solve("90%", {});
  ASSERT_EQ(without.status, 0) << without.err;
  EXPECT_THAT(without.out, Not(HasSubstr("copies")));
  const Finished chosen = solve("90%", {"--copies", "int8", "--output", "chosen.json"});
  ASSERT_EQ(chosen.status, 0) << chosen.err;
  EXPECT_THAT(chosen.err, HasSubstr("gradients read int8 copies of"));
  const json file = json::parse(contents_of(folder_.file("chosen.json")));
  EXPECT_EQ(file.at("request").at("copies"), "int8");
  EXPECT_FALSE(file.at("model").at("copies").at("tensors").empty());
  const double energy = file.at("summary").at("energy_joules");
  EXPECT_LT(energy, energy_of(without));
  // Budgets are of the graph without copies.
  EXPECT_EQ(file.at("request").at("ram_budget_bytes"),
            json::parse(without.out).at("request").at("ram_budget_bytes"));
  EXPECT_LE(file.at("summary").at("uncopied_energy_joules"), energy_of(without) * 1.2);
  const Finished verified =
      run({"verify", "chosen.json", "--model", "small.json", "--platform", "m4"});
  EXPECT_EQ(verified.status, 0) << verified.err;
  // The same copies, stated.
  const Finished stated = solve("90%", {"--copies", "chosen.json", "--warm-start", "chosen.json"});
  ASSERT_EQ(stated.status, 0) << stated.err;
  EXPECT_LE(energy_of(stated), energy * (1 + 1e-9));
}

TEST_F(CopyChoices, AreInfeasibleOnlyIfTheForwardPassAloneIs) {
  const Finished none = solve("2K", {"--copies", "int8"});
  EXPECT_EQ(none.status, 3) << none.err;
  EXPECT_THAT(none.err, HasSubstr("with any copies"));
  const std::string below = below_the_smallest();
  EXPECT_EQ(proven(below).status, 3);
  const Finished open = solve(below, {"--copies", "exact"});
  EXPECT_THAT(open.status, testing::AnyOf(0, 4)) << "infeasible holds for one set alone";
}

TEST_F(CopyChoices, OfBytesLetANormLieOverItsInput) {
  // Twice the norm's tensor is 32768 bytes.
  const auto at_28000_bytes = [&](const std::string& copies) {
    return run({"--model", POET_TEST_DATA "/cases/norm_model.json", "--platform", "m4",
                "--ram-budget", "28000", "--no-paging", "--runtime-budget", "3", "--effort", "fast",
                "--copies", copies});
  };
  const Finished bytes = at_28000_bytes("int8");
  ASSERT_EQ(bytes.status, 0) << bytes.err;
  EXPECT_EQ(poet_solve(Words{"verify", "-"}, bytes.out).status, 0);
  EXPECT_THAT(at_28000_bytes("exact").err, HasSubstr("with any copies"));
}

TEST_F(CopyChoices, InASweepHaveRowsThatAllStateTheModeAndTheirTensors) {
  ASSERT_EQ(sweep_in("off.jsonl", {}).status, 0);
  const Finished found = sweep_in("int8.jsonl", {"--copies", "int8", "--schedules", "runs"});
  ASSERT_EQ(found.status, 0) << found.err;
  const Lines off = lines_of(folder_.file("off.jsonl"));
  const Lines rows = lines_of(folder_.file("int8.jsonl"));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    EXPECT_EQ(rows[r].at("graph_sha256"), off[r].at("graph_sha256"));
    EXPECT_EQ(rows[r].at("copies").at("mode"), "int8");
    EXPECT_LE(rows[r].at("energy_joules"), off[r].at("energy_joules"));
    EXPECT_FALSE(off[r].contains("copies"));
  }
  const Finished verified = run({"verify", "int8.jsonl"});
  EXPECT_EQ(verified.status, 0) << verified.err;
  const Finished collected = sweep_in("again.jsonl", {"--copies", "int8", "--collect", "runs"});
  ASSERT_EQ(collected.status, 0) << collected.err;
  EXPECT_EQ(lines_of(folder_.file("again.jsonl"))[1].at("energy_joules"),
            rows[1].at("energy_joules"));
}

TEST_F(CopyChoices, OfOneModeAreRefusedAmongTheRowsOfAnother) {
  ASSERT_EQ(sweep_in("off.jsonl", {}).status, 0);
  ASSERT_EQ(sweep_in("int8.jsonl", {"--copies", "int8"}).status, 0);
  Lines rows = lines_of(folder_.file("int8.jsonl"));
  rows[1] = lines_of(folder_.file("off.jsonl"))[1];
  write_lines("mixed.jsonl", rows);
  const Finished verified = run({"verify", "mixed.jsonl"});
  EXPECT_NE(verified.status, 0);
  EXPECT_THAT(verified.out + verified.err, HasSubstr("copies.mode is off"));
  const Finished compared = run({"compare", "off.jsonl", "int8.jsonl"});
  EXPECT_NE(compared.status, 0);
}

TEST_F(CopyChoices, OfOneModeAreRefusedInTheJournalOfAnother) {
  ASSERT_EQ(sweep_in("off.jsonl", {}).status, 0);
  ASSERT_EQ(sweep_in("int8.jsonl", {"--copies", "int8"}).status, 0);
  Lines journal = lines_of(folder_.file("int8.jsonl.request"));
  for (const json& line : lines_of(folder_.file("off.jsonl.request"))) {
    if (line.contains("point") && line.at("point") == 1) journal.push_back(line);
  }
  // As an interrupted run leaves it.
  write_lines("int8.jsonl.partial", journal);
  const Finished resumed = sweep_in("int8.jsonl", {"--copies", "int8", "--resume", "int8.jsonl"});
  EXPECT_EQ(resumed.status, 2) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("copies of mode off"));
}

TEST_F(CopyChoices, AreNoStartForAnotherSet) {
  ASSERT_EQ(solve("90%", {"--copies", "int8", "--output", "chosen.json"}).status, 0);
  const Finished other = solve("90%", {"--warm-start", "chosen.json"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("--copies"));
  const Finished searched = solve("90%", {"--copies", "int8", "--warm-start", "chosen.json"});
  ASSERT_EQ(searched.status, 0) << searched.err;
  const json chosen = json::parse(contents_of(folder_.file("chosen.json")));
  EXPECT_LE(energy_of(searched),
            chosen.at("summary").at("energy_joules").get<double>() * (1 + 1e-9));
}

TEST_F(CopyChoices, DocumentsOfOneModeAreVoidInAnother) {
  ASSERT_EQ(sweep_in("int8.jsonl", {"--copies", "int8", "--schedules", "runs"}).status, 0);
  // Schedules of chosen copies have no place in a sweep without.
  const Finished off = sweep_in("off.jsonl", {"--collect", "runs"});
  EXPECT_THAT(off.err, HasSubstr("other copies"));
  // A proof about the graph without copies says nothing about sets.
  const std::string below = below_the_smallest();
  const Finished proof = proven(below);
  ASSERT_EQ(proof.status, 3) << proof.err;
  for (const char* const mode : {"exact", "int8"}) {
    const std::string folder = std::string("proofs-") + mode;
    std::filesystem::create_directory(folder_.file(folder));
    const Words grid =
        sweep("small.json", "m4", below, "3", {"--techniques", "remat", "--copies", mode});
    const Finished named = run(grid + Words{"--dry-run", "--schedules", folder});
    const std::size_t at = named.out.find(folder);
    ASSERT_NE(at, std::string::npos) << named.out;
    const std::string path = named.out.substr(at, named.out.find(".json", at) + 5 - at);
    folder_.write(path, proof.out);
    const Finished collected = run(grid + Words{"--collect", folder});
    EXPECT_THAT(collected.out, Not(HasSubstr("\"status\":\"infeasible\""))) << collected.out;
    EXPECT_THAT(collected.out, HasSubstr("unknown")) << collected.out << collected.err;
  }
}

TEST_F(CopyChoices, NeedAnExactModelOfLayersAndNoSearchForTheLeastRam) {
  const Finished chain = run({"--model", "linear", "--platform", "m4", "--ram-budget", "60%",
                              "--runtime-budget", "3", "--copies", "int8"});
  EXPECT_EQ(chain.status, 2);
  const Finished least = run({"--model", "small.json", "--platform", "m4", "--objective", "ram",
                              "--runtime-budget", "3", "--copies", "int8"});
  EXPECT_EQ(least.status, 2);
  EXPECT_THAT(least.err, HasSubstr("--copies"));
}

}  // namespace
}  // namespace poet::test
