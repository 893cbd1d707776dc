#include <functional>

#include "cli/poet_solve.hpp"
#include "support/xml.hpp"

namespace poet::test {
namespace {

/// A schedule with recomputation, solved once for all tests.
const std::string& solved() {
  static const std::string text = poet_solve(problem("linear", "m0", "3256", "2")).out;
  return text;
}

TEST(PlotCommand, DrawsAFileOntoStdoutAndSaysNothing) {
  const TemporaryFolder folder;
  const Finished run = poet_solve({"plot", folder.write("s.json", solved())});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, StartsWith("<svg "));
  EXPECT_THAT(run.out, HasSubstr("linear on m0"));
  EXPECT_THAT(folder.contents(), ElementsAre("s.json"));
  if (!have_python()) GTEST_SKIP() << "no python3 to read XML with";
  EXPECT_EQ(xml_fault(run.out), "");
}

TEST(PlotCommand, ReadsStdinAndWritesAFile) {
  const TemporaryFolder folder;
  const Finished run = poet_solve({"plot", "-", "--output", folder.file("s.svg")}, solved());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(folder.contents(), ElementsAre("s.svg"));
  EXPECT_EQ(contents_of(folder.file("s.svg")), poet_solve({"plot", "-"}, solved()).out);
}

TEST(PlotCommand, DrawsAScheduleInFrontOfKeepingEverything) {
  const std::string file = poet_solve(quick_problem()).out;
  const Finished run = poet_solve({"plot", "-", "--beside-baseline"}, file);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, testing::AllOf(HasSubstr(">all kept<"), HasSubstr(">7.242 KiB<"),
                                      HasSubstr("everything kept"), HasSubstr(">budget<")));
  EXPECT_THAT(poet_solve({"plot", "-"}, file).out, testing::Not(HasSubstr("all kept")));
  const Finished page = poet_solve({"plot", "-", "--beside-baseline", "--format", "html"}, file);
  EXPECT_EQ(page.status, 2);
  EXPECT_THAT(page.err, HasSubstr("--beside-baseline: found with --format html"));
  EXPECT_EQ(poet_solve({"plot", "-", "--beside-baseline", "--lanes", "all"}, file).status, 2);
}

TEST(PlotCommand, WritesATraceOfASchedule) {
  const Finished run = poet_solve({"plot", "-", "--format", "trace"}, solved());
  EXPECT_EQ(run.status, 0) << run.err;
  const json trace = json::parse(run.out);
  const json schedule = json::parse(solved());
  std::size_t recomputations = 0;
  for (const json& event : trace.at("traceEvents")) {
    recomputations += event.value("cat", "") == "recompute" ? 1 : 0;
  }
  EXPECT_EQ(recomputations, schedule.at("summary").at("recompute_count"));
  const Finished wide = poet_solve({"plot", "-", "--format", "trace", "--width", "84mm"}, solved());
  EXPECT_EQ(wide.status, 2);
  EXPECT_EQ(wide.out, "");
  EXPECT_THAT(wide.err, HasSubstr("--width: found with --format trace; expected svg or pdf"));
}

struct BadPlot {
  std::string name;
  std::function<std::string()> text;  ///< made when it is needed: some take a solve
  std::vector<std::string> says;
};

void PrintTo(const BadPlot& bad, std::ostream* out) {
  *out << bad.name;
}

class BadPlots : public testing::TestWithParam<BadPlot> {};

TEST_P(BadPlots, AreRefusedAndLeaveNothing) {
  const TemporaryFolder folder;
  const std::string text = GetParam().text();
  for (const Words& output : {Words{}, Words{"--output", folder.file("s.svg")}}) {
    const Finished run = poet_solve(Words{"plot", "-"} + output, text);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_EQ(run.out, "") << "no document of another kind in the place of a picture";
    for (const std::string& part : GetParam().says) EXPECT_THAT(run.err, HasSubstr(part));
    EXPECT_THAT(folder.contents(), testing::IsEmpty());
  }
}

std::string tampered() {
  json file = json::parse(solved());
  file.at("stages").at(20).at("resident") = json::array();
  file.at("summary").at("energy_joules") = 1.0;
  return file.dump();
}

std::vector<BadPlot> bad_plots() {
  const auto text = [](const char* fixed) { return [fixed] { return std::string(fixed); }; };
  return {{"Empty", text(""), {"stdin:1:1"}},
          {"NotJson", text("<svg/>"), {"stdin:1:1"}},
          {"AModel", measured_model, {"/format", "expected \"poet-schedule\""}},
          {"Truncated", [] { return solved().substr(0, solved().size() / 2); }, {"stdin:"}},
          {"WithoutASchedule",
           [] { return poet_solve(problem("linear", "m4", "3255", "2")).out; },
           {"there is no schedule in this file", "3256"}},
          {"ThatDoesNotHold",
           tampered,
           {"rule 1 (inputs): stage 20", "summary.energy_joules is 1", "poet-solve verify"}}};
}

INSTANTIATE_TEST_SUITE_P(Each, BadPlots, testing::ValuesIn(bad_plots()),
                         [](const auto& instance) { return instance.param.name; });

TEST(PlotCommand, RefusesAnOutputThatCannotBeWritten) {
  const TemporaryFolder folder;
  for (const std::string& path : {std::string("/nonexistent/s.svg"), folder.path()}) {
    const Finished run = poet_solve({"plot", "-", "--output", path}, solved());
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(count_lines(run.err), 1U) << run.err;
    EXPECT_THAT(run.err, HasSubstr("--output: " + path));
  }
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Finished full = poet_solve({"plot", "-", "--output", "/dev/full"}, solved());
  EXPECT_EQ(full.status, 2);
  EXPECT_EQ(full.out, "");
  EXPECT_THAT(full.err, HasSubstr("No space left"));
}

TEST(PlotCommand, CutsATitleThatIsTooLong) {
  json file = as_document(solved());
  file["model"]["name"] = std::string(300, 'w');
  const Finished run = poet_solve({"plot", "-"}, file.dump());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("</title>w+\xE2\x80\xA6w+ on m0</text>"));
}

TEST(PlotCommand, RefusesANameThatEndsAsAnotherFormat) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.html");
  const Finished run = poet_solve({"plot", "-", "--output", path}, solved());
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("for svg; expected --format html"));
  EXPECT_FALSE(std::filesystem::exists(path));
  const Words page{"plot", "-", "--format", "html", "--output", path};
  EXPECT_EQ(poet_solve(page, solved()).status, 0);
}

TEST(PlotCommand, RefusesAMissingFileAndAMissingName) {
  for (const Words& words : {Words{"plot", "none.json"}, Words{"plot"}, Words{"-q", "plot"},
                             Words{"plot", "-", "--bogus"}}) {
    const Finished run = poet_solve(words);
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err, "");
  }
}

TEST(PlotCommand, IsNotTakenForOneWhereItsNameIsAValue) {
  const TemporaryFolder folder;
  Command command = poet_solve_command({"--model", "plot", "--output", "plot"});
  command.directory = folder.path();
  EXPECT_EQ(run_program(command).status, 2);
  expect_error_document(as_document(contents_of(folder.file("plot"))), 2);
}

TEST(PlotDirectory, HasTheGraphAndTheScheduleOfThisRun) {
  const TemporaryFolder folder;
  const Finished run = poet_solve(problem("linear", "m0", "3256", "2") +
                                  Words{"--plot-directory", folder.file("new/plots")});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(contents_of(folder.file("new/plots/linear.schedule.svg")),
            poet_solve({"plot", "-"}, run.out).out);
  if (std::string(POET_DOT).empty()) GTEST_SKIP() << "no dot (Debian: graphviz)";
  const std::string graph = contents_of(folder.file("new/plots/linear.graph.svg"));
  EXPECT_THAT(graph, HasSubstr("prefers-color-scheme: dark"));
  for (const char* label : {">0 input<", ">26 grad(fc1)<"}) EXPECT_THAT(graph, HasSubstr(label));
  if (!have_python()) GTEST_SKIP() << "no python3 to read XML with";
  EXPECT_EQ(xml_fault(graph), "");
}

TEST(PlotDirectory, HasNoScheduleOfARunWithoutOne) {
  const TemporaryFolder folder;
  const Finished run =
      poet_solve(problem("linear", "m4", "3255", "2") + Words{"--plot-directory", folder.path()});
  EXPECT_EQ(run.status, 3);
  EXPECT_FALSE(std::filesystem::exists(folder.file("linear.schedule.svg")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("linear.dot")));
}

TEST(PlotDirectory, DoesWithoutGraphvizAndSaysSo) {
  const TemporaryFolder folder;
  Command command = poet_solve_command(quick_problem() + Words{"--plot-directory", folder.path()});
  command.environment = {{"PATH", folder.path()}};
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("no picture of the layer graph: there is no 'dot'"));
  EXPECT_THAT(folder.contents(), ElementsAre("linear.dot", "linear.schedule.svg"));
}

TEST(PlotDirectory, HasNoPictureOfAProgramThatDrawsNone) {
  const TemporaryFolder folder;
  const TemporaryFolder programs;
  std::filesystem::permissions(programs.write("dot", "#!/bin/sh\necho hello\n"),
                               std::filesystem::perms::owner_all);
  Command command = poet_solve_command(quick_problem() + Words{"--plot-directory", folder.path()});
  command.environment = {{"PATH", programs.path()}};
  const Finished run = run_program(command);
  EXPECT_THAT(run.err, HasSubstr("no picture of the layer graph: 'dot' wrote no SVG"));
  EXPECT_THAT(folder.contents(), ElementsAre("linear.dot", "linear.schedule.svg"));
}

TEST(PlotDirectory, IsRefusedBeforeTheSolveWhereAPictureCannotBeWritten) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("resnet18_cifar.schedule.svg"));
  const Finished run = poet_solve(slow_problem() + Words{"--plot-directory", folder.path()});
  EXPECT_EQ(run.status, 2);
  EXPECT_LT(run.wall_seconds, 5);
  EXPECT_THAT(run.err, HasSubstr("--plot-directory: "));
  expect_error_document(document(run), 2);
}

/// The largest built-in model. What keeps everything needs no search.
TEST(PlotDirectory, HasAGraphOfResNet50OfAReasonableSize) {
  if (std::string(POET_DOT).empty()) GTEST_SKIP() << "no dot (Debian: graphviz)";
  const TemporaryFolder folder;
  const Finished run = poet_solve(problem("resnet50", "a72", "100%", "1.5") +
                                  Words{"--plot-directory", folder.path()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_LT(std::filesystem::file_size(folder.file("resnet50.graph.svg")), 1'000'000U);
}

}  // namespace
}  // namespace poet::test
