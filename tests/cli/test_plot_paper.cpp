// Pictures for papers: `plot --width` and what goes with it.

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

/// A schedule with recomputation and paging, solved once for all tests.
const std::string& solved_for_paper() {
  static const std::string text = poet_solve(problem("linear", "m0", "3256", "2")).out;
  return text;
}

TEST(PlotPaper, IsLightUnlessItIsAskedToBeOtherwise) {
  const std::string preference = "prefers-color-scheme";
  const auto plot = [](const Words& words) {
    return poet_solve(Words{"plot", "-"} + words, solved_for_paper()).out;
  };
  EXPECT_THAT(plot({}), HasSubstr(preference));
  EXPECT_THAT(plot({"--width", "84mm"}), Not(HasSubstr(preference)));
  EXPECT_THAT(plot({"--width", "84mm", "--theme", "auto"}), HasSubstr(preference));
  EXPECT_THAT(plot({"--theme", "light"}), Not(HasSubstr(preference)));
}

TEST(PlotPaper, IsDrawnOverTimeOrEnergy) {
  const auto plot = [](const Words& words) {
    return poet_solve(Words{"plot", "-"} + words, solved_for_paper()).out;
  };
  EXPECT_THAT(plot({"--x-axis", "time"}), HasSubstr(">time; one column per computation"));
  EXPECT_THAT(plot({"--x-axis", "energy"}), HasSubstr(">energy; one column per computation"));
  EXPECT_THAT(plot({"--x-axis", "time"}), HasSubstr(" s</text>"));
}

TEST(PlotPaper, WritesWhatItDraws) {
  const TemporaryFolder folder;
  const std::string text =
      poet_solve(problem("linear", "m4", "44%", "2") + Words{"--paging-time", "blocking"}).out;
  ASSERT_EQ(poet_solve({"plot", "-", "--data", folder.file("s.csv")}, text).status, 0);
  const auto file = nlohmann::json::parse(text);
  std::istringstream lines(contents_of(folder.file("s.csv")));
  std::string line;
  std::getline(lines, line);
  std::vector<std::int64_t> peaks(file.at("stages").size());
  double spent = 0;
  double end = 0;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 14U);
    std::int64_t& peak = peaks.at(std::stoul(cells[1]));
    peak = std::max<std::int64_t>(peak, std::stoll(cells[9]));
    std::int64_t parts = 0;
    for (std::size_t k = 10; k < 14; ++k) parts += std::stoll(cells[k]);
    EXPECT_EQ(parts, std::stoll(cells[9]));
    end = std::stod(cells[7]);
    spent = std::stod(cells[8]);
  }
  for (const auto& stage : file.at("stages")) {
    EXPECT_EQ(peaks.at(stage.at("stage")), stage.at("peak_ram_bytes"));
  }
  EXPECT_NEAR(spent, file["summary"]["energy_joules"].get<double>(), 1e-12);
  EXPECT_NEAR(end, file["summary"]["runtime_seconds"].get<double>(), 1e-9);
}

TEST(PlotPaper, WarnsOfAPictureThatIsHigherThanAPage) {
  const auto warning = [](const Words& words) {
    const Finished run = poet_solve(Words{"plot", "-"} + words, solved_for_paper());
    EXPECT_EQ(run.status, 0) << run.err;
    return run.err;
  };
  const std::string high = warning({"--width", "84mm"});
  EXPECT_THAT(high, HasSubstr("mm high, and a page of A4 has about 240 mm"));
  EXPECT_THAT(high, HasSubstr("--lanes changed"));
  EXPECT_EQ(count_lines(high), 1U);
  EXPECT_EQ(warning({"--width", "84mm", "--lanes", "changed", "--no-title"}), "");
  EXPECT_EQ(warning({}), "") << "a screen has no pages";
}

struct BadLook {
  Words words;
  std::string says;
};

void PrintTo(const BadLook& bad, std::ostream* out) {
  *out << bad.words.back();
}

class BadLooks : public testing::TestWithParam<BadLook> {};

TEST_P(BadLooks, AreRefused) {
  const TemporaryFolder folder;
  const Words output{"--output", folder.file("s.svg")};
  const Finished run =
      poet_solve(Words{"plot", "-"} + output + GetParam().words, solved_for_paper());
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(count_lines(run.err), 1U) << run.err;
  EXPECT_THAT(run.err, HasSubstr(GetParam().says));
  EXPECT_THAT(folder.contents(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadLooks,
    testing::Values(BadLook{{"--width", "5mm"},
                            "--width: found '5mm'; expected a width from 80mm to 400mm"},
                    BadLook{{"--width", "500mm"}, "--width: found '500mm'"},
                    BadLook{{"--width", "84"}, "--width: found '84'"},
                    BadLook{{"--width", "84 mm"}, "--width: found '84 mm'"},
                    BadLook{{"--width", "nanmm"}, "--width: found 'nanmm'"},
                    BadLook{{"--width", "mm"}, "--width: found 'mm'"},
                    BadLook{{"--width", "8.4cm"}, "--width: found '8.4cm'"},
                    BadLook{{"--lanes", "backward"}, "expected all, forward, changed or none"},
                    BadLook{{"--x-axis", "stage"}, "expected computation, time or energy"},
                    BadLook{{"--theme", "blue"}, "expected auto, light or dark"},
                    BadLook{{"--format", "png"}, "expected svg, pdf, html or trace"}));

/// A program in place of rsvg-convert.
Command with_converter(const TemporaryFolder& folder, const std::string& script) {
  if (!script.empty()) {
    const std::string path = folder.write("rsvg-convert", "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  Command command = poet_solve_command({"plot", "-", "--width", "84mm", "--format", "pdf"});
  command.environment = {{"PATH", folder.path()}, {"TMPDIR", folder.path()}};
  command.stdin_text = solved_for_paper();
  return command;
}

TEST(PlotPdf, IsWhatTheConverterMakesOfThePicture) {
  const TemporaryFolder folder;
  const Finished run = run_program(
      with_converter(folder, "echo \"%PDF-1 $@\"\nwhile read -r line; do echo \"$line\"; done\n"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("%PDF-1 --format pdf\n<svg "));
  EXPECT_THAT(run.out, HasSubstr("width=\"84mm\""));
  EXPECT_THAT(folder.contents(), ElementsAre("rsvg-convert")) << "no temporary file is left";
}

TEST(PlotPdf, SaysWhatItNeedsAndWhatFailed) {
  const TemporaryFolder empty;
  const Finished missing = run_program(with_converter(empty, ""));
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.out, "");
  EXPECT_THAT(missing.err, HasSubstr("--format: pdf needs 'rsvg-convert'"));
  EXPECT_THAT(missing.err, HasSubstr("librsvg2-bin"));
  EXPECT_THAT(empty.contents(), IsEmpty());
  const TemporaryFolder folder;
  const Finished failed = run_program(with_converter(folder, "echo 'no fonts' >&2; exit 3\n"));
  EXPECT_EQ(failed.status, 2);
  EXPECT_EQ(failed.out, "");
  EXPECT_THAT(failed.err, HasSubstr("'rsvg-convert' ended with exit status 3: no fonts"));
  const Finished other = run_program(with_converter(folder, "echo '<svg/>'\n"));
  EXPECT_EQ(other.status, 2);
  EXPECT_EQ(other.out, "");
  EXPECT_THAT(other.err, HasSubstr("'rsvg-convert' wrote no PDF"));
}

TEST(PlotPdf, IsAPageOfThatWidth) {
  const TemporaryFolder folder;
  const Finished run = poet_solve(
      {"plot", "-", "--width", "174mm", "--format", "pdf", "--output", folder.file("s.pdf")},
      solved_for_paper());
  if (run.err.find("rsvg-convert") != std::string::npos) {
    GTEST_SKIP() << "no rsvg-convert (Debian: librsvg2-bin)";
  }
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(contents_of(folder.file("s.pdf")), StartsWith("%PDF-"));
}

}  // namespace
}  // namespace poet::test
