// Certificates as a user asks for them. The checker that is not this program has the last word.
#include <filesystem>
#include <tuple>

#include "cli/poet_solve.hpp"
#include "support/two_orders.hpp"

namespace poet::test {
namespace {

Finished poet_check(const Words& arguments) {
  return run_program({.program = "python3",
                      .arguments = Words{POET_SOURCE_DIR "/python/poet_check.py"} + arguments});
}

/// The claim of a certificate that the checker accepts, in joules.
double proven_claim(const std::string& proof, const std::string& document) {
  const Finished run = poet_check({proof, document});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\ndocument: "));
  const std::string text = contents_of(proof);
  const std::string key = "\nclaim ";
  const std::size_t at = text.find(key);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + key.size()));
}

void expect_none_exists(const std::string& proof, const std::string& document) {
  const Finished run = poet_check({proof, document});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(" exists ("));
  EXPECT_THAT(run.out, HasSubstr("\ndocument: the same problem, without a schedule\n"));
}

/// Solved once for all tests.
const std::string& solved() {
  static const std::string text = poet_solve(quick_problem()).out;
  return text;
}

const Words kTooLittle = problem("linear", "m4", "3255", "2");

const std::string& infeasible() {
  static const std::string text = poet_solve(kTooLittle).out;
  return text;
}

/// Whose gap is open, and stays so for longer than any test.
const std::string& unproven() {
  static const std::string text =
      poet_solve(problem("resnet18_cifar", "m4", "481305", "3") + Words{"--time-limit-s", "1"}).out;
  return text;
}

/// A schedule for less RAM, as if it were the best one for more. Its lower bound is false.
std::string with_false_bound() {
  json file = json::parse(poet_solve(problem("linear", "m4", "3256", "2")).out);
  file["request"]["ram_budget_bytes"] = 3500;
  file["summary"]["ram_budget_bytes"] = 3500;
  EXPECT_EQ(poet_solve({"verify", "-"}, file.dump()).status, 0);
  return file.dump();
}

class Certify : public testing::Test {
 protected:
  Finished certify(const std::string& document, const Words& more = {}) const {
    return poet_solve(Words{"certify", folder_.write("s.json", document), "--output", proof_} +
                      more);
  }

  void expect_refused(const Finished& run, int status, const std::string& why) const {
    EXPECT_EQ(run.status, status);
    EXPECT_THAT(run.err, HasSubstr(why));
    EXPECT_THAT(folder_.contents(), ElementsAre("s.json"));
  }

  double claim() const { return proven_claim(proof_, folder_.file("s.json")); }

  TemporaryFolder folder_;
  std::string proof_ = folder_.file("s.proof");
};

TEST_F(Certify, ProvesTheBoundOfASchedule) {
  const Finished run = certify(solved());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("certified: no schedule has less than "));
  EXPECT_EQ(run.out, "");
  const json summary = json::parse(solved()).at("summary");
  const double bound = summary.at("lower_bound_joules");
  EXPECT_LE(claim(), bound);
  EXPECT_GT(claim(), bound * (1 - 1e-6));
  EXPECT_GT(claim(), summary.at("baseline_energy_joules"));
}

TEST_F(Certify, WritesToStdoutWhatIsReadFromStdin) {
  const Finished run = poet_solve({"certify", "-", "-q"}, solved());
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, StartsWith("poet-certificate 1\n"));
  EXPECT_EQ(certify(solved()).status, 0);
  EXPECT_EQ(run.out, contents_of(proof_));
}

TEST_F(Certify, ProvesThatThereIsNoSchedule) {
  const Finished run = certify(infeasible(), {"--model", "linear", "--platform", "m4"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("certified: there is no schedule"));
  expect_none_exists(proof_, folder_.file("s.json"));
}

TEST_F(Certify, NeedsTheModelOfADocumentWithoutASchedule) {
  expect_refused(certify(infeasible()), 2, "expected --model");
  expect_refused(certify(infeasible(), {"--model", "linear", "--platform", "m0"}), 2,
                 "--model: the graph's digest is ");
  expect_refused(certify(infeasible(), {"--model", "vgg16_cifar", "--platform", "m4"}), 2,
                 "--model: the graph's digest is ");
}

TEST_F(Certify, RefusesDocumentsThatProveNothing) {
  const Finished none = poet_solve(slow_problem() + Words{"--time-limit-s", "1e-9"});
  ASSERT_EQ(document(none).at("status"), "unknown");
  expect_refused(certify(none.out, {"--model", "resnet18_cifar", "--platform", "m4"}), 2,
                 "found a document that proves nothing");
  const Finished error = poet_solve(problem("linear", "m4", "0", "2"));
  expect_refused(certify(error.out, {"--model", "linear", "--platform", "m4"}), 2,
                 "found a document that proves nothing");
}

TEST_F(Certify, RefusesAFalsifiedSchedule) {
  json file = json::parse(solved());
  file["summary"]["energy_joules"] = 1.01 * file["summary"]["energy_joules"].get<double>();
  expect_refused(certify(file.dump()), 5, "s.json: summary.energy_joules is ");
}

TEST_F(Certify, ProvesAnotherBoundWhereOneIsAskedFor) {
  // Below the baseline by a little, and by far.
  const double least = json::parse(solved()).at("summary").at("baseline_energy_joules");
  for (const double bound : {least * (1 - 1e-12), least / 9, least / 1e30}) {
    EXPECT_EQ(certify(solved(), {"--bound", json(bound).dump()}).status, 0) << bound;
    EXPECT_EQ(claim(), bound);
  }
}

TEST_F(Certify, RefusesABoundAboveTheEnergy) {
  expect_refused(certify(solved(), {"--bound", "1"}), 2, "--bound: found 1 J; expected at most ");
}

TEST_F(Certify, StatesWhatItProvesOfAFalseBound) {
  const std::string file = with_false_bound();
  const Finished run = certify(file);
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("certified: no schedule has less than "));
  EXPECT_THAT(run.err, HasSubstr("is too weak to prove it"));
  const double optimum = json::parse(solved()).at("summary").at("energy_joules");
  EXPECT_LE(claim(), optimum);
  EXPECT_GT(claim(), 0);
}

TEST_F(Certify, StatesWhatItProvesWithinItsTime) {
  const json energy = json::parse(unproven()).at("summary").at("energy_joules");
  const Finished run = certify(unproven(), {"--bound", energy.dump(), "--time-limit-s", "4"});
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the time limit was reached"));
  if (!std::filesystem::exists(proof_)) GTEST_SKIP() << "this machine is too busy";
  EXPECT_LT(claim(), energy.get<double>());
}

TEST_F(Certify, LeavesNoHalfFileWhenItIsInterrupted) {
  const json energy = json::parse(unproven()).at("summary").at("energy_joules");
  const std::string file = folder_.write("s.json", unproven());
  Command command =
      poet_solve_command({"certify", file, "--output", proof_, "--bound", energy.dump()});
  command.stderr_is_terminal = true;
  command.interrupt_after = "certificate: a model";
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 130);
  EXPECT_LT(run.wall_seconds, 20);
  EXPECT_THAT(run.err, HasSubstr("the search was interrupted"));
  if (std::filesystem::exists(proof_)) {
    EXPECT_LT(claim(), energy.get<double>());
    EXPECT_THAT(folder_.contents(), ElementsAre("s.json", "s.proof"));
  } else {
    EXPECT_THAT(folder_.contents(), ElementsAre("s.json"));
  }
}

TEST_F(Certify, IsRefusedBeforeItsSearchWhereItCannotWrite) {
  const std::string file = folder_.write("s.json", unproven());
  const Finished run = poet_solve({"certify", file, "--output", folder_.file("none/s.proof")});
  expect_refused(run, 2, "--output: ");
  EXPECT_LT(run.wall_seconds, 20);
}

/// The last phase of a solve.
class CertifiedSolve : public testing::Test {
 protected:
  Finished solve(const Words& words) const {
    return poet_solve(words + Words{"--certify", proof_, "--output", path_});
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("s.json");
  std::string proof_ = folder_.file("s.proof");
};

TEST_F(CertifiedSolve, SaysInItsSummaryWhatIsCertified) {
  const Finished run = solve(quick_problem());
  EXPECT_EQ(run.status, 0) << run.err;
  const json summary = as_document(contents_of(path_)).at("summary");
  EXPECT_EQ(summary.at("certified"), true);
  EXPECT_EQ(summary.at("certified_bound_joules"), proven_claim(proof_, path_));
  EXPECT_EQ(poet_solve({"verify", path_}).status, 0);
  // What it proves is what the command proves of its file.
  const Finished again = poet_solve({"certify", path_});
  EXPECT_EQ(again.out, contents_of(proof_));
}

TEST_F(CertifiedSolve, SaysNothingOfCertificatesThatNobodyAskedFor) {
  const json summary = json::parse(solved()).at("summary");
  EXPECT_FALSE(summary.contains("certified"));
  EXPECT_FALSE(summary.contains("certified_bound_joules"));
}

TEST_F(CertifiedSolve, ProvesThatThereIsNoSchedule) {
  const Finished run = solve(kTooLittle);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("certified: there is no schedule"));
  expect_none_exists(proof_, path_);
}

TEST_F(CertifiedSolve, IsRefusedBeforeTheSearchWhereItCannotWrite) {
  const Finished run =
      poet_solve(slow_problem() + Words{"--time-limit-s", "60", "--output", path_, "--certify",
                                        folder_.file("none/s.proof")});
  EXPECT_EQ(run.status, 2);
  EXPECT_LT(run.wall_seconds, 20);
  EXPECT_THAT(run.err, HasSubstr("--certify: "));
  EXPECT_THAT(run.err, Not(HasSubstr("gap")));
  EXPECT_THAT(folder_.contents(), ElementsAre("s.json"));
  expect_error_document(as_document(contents_of(path_)), 2);
}

TEST_F(CertifiedSolve, KeepsItsScheduleWhereTheCertificateCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Finished run =
      poet_solve(quick_problem() + Words{"--certify", "/dev/full", "--output", path_});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("No space left"));
  const json summary = as_document(contents_of(path_)).at("summary");
  EXPECT_EQ(summary.at("certified"), false);
  EXPECT_FALSE(summary.contains("certified_bound_joules"));
  EXPECT_EQ(poet_solve({"verify", path_}).status, 0);
}

TEST_F(CertifiedSolve, IsAboutTheOrderThatWasChosen) {
  const std::string model = folder_.write("two.json", two_orders_text());
  const Finished run = solve(
      {"--model", model, "--ram-budget", "120", "--runtime-budget", "2", "--order", "search"});
  EXPECT_EQ(run.status, 0) << run.err;
  const json file = as_document(contents_of(path_));
  EXPECT_TRUE(file.at("model").contains("order"));
  EXPECT_EQ(file.at("summary").at("certified"), true);
  const Finished checked = poet_check({proof_, path_});
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("\norder: chosen, not proven best\n"));
}

TEST_F(CertifiedSolve, SaysThatACertificateIsAboutOneOrderIfNoneHasASchedule) {
  const std::string model = folder_.write("two.json", two_orders_text());
  const Finished run =
      solve({"--model", model, "--ram-budget", "50", "--runtime-budget", "2", "--order", "search"});
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("it is about the order of the model, and the document about all"));
  EXPECT_EQ(poet_check({proof_}).status, 0);
  EXPECT_THAT(poet_check({proof_, path_}).err, HasSubstr("it is about all orders"));
}

/// Figures of a summary, and what `verify` says of them.
TEST_F(CertifiedSolve, HasFiguresThatAreNoticedWhenTheyAreFalsified) {
  ASSERT_EQ(solve(quick_problem()).status, 0);
  const json file = as_document(contents_of(path_));
  const double bound = file.at("summary").at("certified_bound_joules");
  const auto verify = [&](const char* key, const json& value) {
    json changed = file;
    changed["summary"][key] = value;
    if (value.is_null()) changed["summary"].erase(key);
    return poet_solve({"verify", "-"}, changed.dump());
  };
  for (const auto& [key, value, finding] : std::vector<std::tuple<const char*, json, const char*>>{
           {"certified_bound_joules", 2 * bound, "is above the energy of"},
           {"certified_bound_joules", bound / 2, "certified is true, but the certified bound is"},
           {"certified_bound_joules", bound * (1 - 1e-6), "certified is true, but"},
           {"certified_bound_joules", nullptr, "the certified bound is missing"},
           {"certified", nullptr, "certified_bound_joules is there without certified"}}) {
    const Finished run = verify(key, value);
    EXPECT_EQ(run.status, 5) << key << " " << value;
    EXPECT_THAT(run.err, HasSubstr(finding));
  }
  EXPECT_EQ(verify("certified", false).status, 0) << "to claim less than is proven is not false";
}

}  // namespace
}  // namespace poet::test
