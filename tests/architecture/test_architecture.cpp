// Holds the code against docs/architecture.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "architecture/missing_includes.hpp"
#include "architecture/page.hpp"
#include "architecture/sources.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kRoot = POET_SOURCE_DIR;

std::string contents(const std::string& path) {
  std::ifstream file(kRoot + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Architecture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    page_ = read_page(contents("docs/architecture.md"));
    sources_ = read_sources(kRoot);
  }
  inline static Page page_;
  inline static Sources sources_;
};

TEST_F(Architecture, HasItsTables) {
  EXPECT_THAT(page_.layers, SizeIs(testing::Ge(5)));
  EXPECT_THAT(page_.foreign, SizeIs(testing::Ge(4)));
  EXPECT_THAT(page_.tables, SizeIs(testing::Ge(3)));
  EXPECT_THAT(sources_, SizeIs(testing::Ge(100)));
}

TEST_F(Architecture, NamesEveryFolderAndPublicHeaderOnce) {
  EXPECT_THAT(wrong_rows(page_, sources_), IsEmpty());
}

TEST_F(Architecture, RunsFromBottomToTop) {
  EXPECT_THAT(wrong_order(page_), IsEmpty());
}

TEST_F(Architecture, IsKeptByEveryInclude) {
  EXPECT_THAT(wrong_arrows(page_, sources_), IsEmpty());
}

TEST_F(Architecture, HasNoCircleOfFiles) {
  EXPECT_THAT(circles(sources_), IsEmpty());
}

TEST_F(Architecture, ListsFilesThatAreThereFromBottomToTop) {
  EXPECT_THAT(wrong_tables(page_, sources_), IsEmpty());
}

TEST_F(Architecture, KeepsOtherProjectsHeadersInTheirPlaces) {
  EXPECT_THAT(wrong_foreign(page_, sources_), IsEmpty());
}

TEST_F(Architecture, HasOneTypeOfAName) {
  EXPECT_THAT(repeated_types(sources_), IsEmpty());
}

TEST_F(Architecture, HasOneFileOfAName) {
  EXPECT_THAT(repeated_file_names(sources_), IsEmpty());
}

TEST_F(Architecture, FilesIncludeWhatBuildsPrecompile) {
  EXPECT_THAT(missing_includes(sources_), IsEmpty());
}

/// Tests, too: a test program is one text. The strings of this folder have names of what headers
/// declare.
TEST_F(Architecture, TestsIncludeWhatBuildsPrecompile) {
  Sources all = read_sources(kRoot, {"src", "include", "tests"});
  std::erase_if(all, [](const auto& one) { return one.first.starts_with("tests/architecture/"); });
  EXPECT_THAT(all, SizeIs(testing::Gt(sources_.size() + 100)));
  EXPECT_THAT(missing_includes(all), IsEmpty());
}

TEST_F(Architecture, NamesTheTargetOfEveryFolder) {
  std::size_t folders = 0;
  for (const LinkTarget& target : page_.targets) {
    for (const std::string& folder : target.folders) {
      ++folders;
      EXPECT_THAT(contents("src/" + folder + "/CMakeLists.txt"),
                  HasSubstr("target_sources(" + target.name + " "));
    }
  }
  EXPECT_EQ(folders, page_.layers.size());
}

// That the checks above find what they are there for, on a page and files of four lines.

constexpr std::string_view kSmallPage = R"(
| folder | what it does | public headers | may include |
|---|---|---|---|
| `src/low` | | `units` | |
| `src/high` | | | `low` |

| header | who may include it |
|---|---|
| `<nlohmann/` | `src/high` |

Inside `src/high`:

| folder | files | idea |
|---|---|---|
| | `first` | |
| `deep` | `second` | |
)";

Sources small_sources() {
  return {{"include/poet/units.hpp", {}},
          {"src/low/a.cpp", {.ours = {"low/a.hpp", "poet/units.hpp"}, .foreign = {"<vector"}}},
          {"src/low/a.hpp", {}},
          {"src/high/first.hpp", {.ours = {"low/a.hpp"}, .foreign = {"<nlohmann/json.hpp"}}},
          {"src/high/deep/second.cpp", {.ours = {"high/first.hpp"}, .foreign = {"<sys/wait.h"}}}};
}

Words all_findings(const Sources& sources) {
  const Page page = read_page(kSmallPage);
  Words all;
  for (const Words& findings :
       {wrong_rows(page, sources), wrong_order(page), wrong_arrows(page, sources), circles(sources),
        wrong_tables(page, sources), wrong_foreign(page, sources)}) {
    all.insert(all.end(), findings.begin(), findings.end());
  }
  return all;
}

TEST(ArchitectureCheck, AcceptsWhatKeepsToThePage) {
  EXPECT_THAT(all_findings(small_sources()), IsEmpty());
}

TEST(ArchitectureCheck, FindsAnArrowThatPointsUp) {
  Sources sources = small_sources();
  sources["src/low/a.cpp"].ours.emplace_back("high/first.hpp");
  EXPECT_THAT(
      all_findings(sources),
      ElementsAre("src/low/a.cpp includes high/first.hpp, but src/low must not know src/high",
                  "src/high/first -> src/low/a -> src/high/first"));
}

TEST(ArchitectureCheck, FindsAFolderWithoutARowAndARowWithoutAFolder) {
  Sources sources = small_sources();
  sources["src/new/b.cpp"] = {};
  sources.erase("src/high/first.hpp");
  sources.erase("src/high/deep/second.cpp");
  EXPECT_THAT(all_findings(sources),
              ElementsAre("src/high is not there", "src/new has 0 rows; expected one",
                          "src/high/first is not there", "src/high/deep/second is not there"));
}

TEST(ArchitectureCheck, FindsAPublicHeaderWithoutARow) {
  Sources sources = small_sources();
  sources["include/poet/more.hpp"] = {};
  EXPECT_THAT(all_findings(sources),
              ElementsAre("include/poet/more.hpp is in 0 rows; expected one"));
}

TEST(ArchitectureCheck, FindsAFileThatNoTableLists) {
  Sources sources = small_sources();
  sources["src/high/third.cpp"] = {};
  EXPECT_THAT(all_findings(sources), ElementsAre("src/high/third is not listed"));
}

TEST(ArchitectureCheck, FindsAnIncludeOfARowFurtherDown) {
  Sources sources = small_sources();
  sources["src/high/deep/second.hpp"] = {};
  sources["src/high/deep/second.cpp"] = {};
  sources["src/high/first.hpp"].ours.emplace_back("high/deep/second.hpp");
  EXPECT_THAT(all_findings(sources),
              ElementsAre("src/high/first includes src/high/deep/second, which is further down"));
}

TEST(ArchitectureCheck, FindsAHeaderOfAnotherProjectInTheWrongPlace) {
  Sources sources = small_sources();
  sources["src/low/a.cpp"].foreign = {"<nlohmann/json.hpp", "<other/thing.hpp"};
  EXPECT_THAT(all_findings(sources),
              ElementsAre("src/low/a.cpp must not include <nlohmann/json.hpp>",
                          "src/low/a.cpp includes <other/thing.hpp>, which no row names"));
}

TEST(ArchitectureCheck, FindsTypesOfOneName) {
  Sources sources = small_sources();
  sources["src/low/a.hpp"] = read_source("struct Plan {\nclass Other;\nclass Plan::Part {\n");
  sources["src/high/first.hpp"] = read_source("class Plan : public Base {\n  struct Other {\n");
  sources["src/low/a.cpp"] = read_source("enum class Plan {\n");
  EXPECT_THAT(repeated_types(sources),
              ElementsAre("src/high/first.hpp and src/low/a.hpp define Plan"));
}

TEST(ArchitectureCheck, FindsFilesOfOneName) {
  Sources sources = small_sources();
  sources["src/high/fields.hpp"] = sources["src/low/fields.hpp"] = {};
  EXPECT_THAT(repeated_file_names(sources), IsEmpty());
  sources["src/high/a.hpp"] = sources["src/high/first.cpp"] = {};
  EXPECT_THAT(repeated_file_names(sources),
              ElementsAre("src/high/a and src/low/a.cpp have one name",
                          "src/high/a and src/low/a.hpp have one name"))
      << "a header and its source are one";
}

TEST(ArchitectureCheck, FindsAMissingIncludeThatNoFileOfOursHas) {
  Sources sources = small_sources();
  sources["src/low/a.cpp"].needs = needed_headers("std::vector<int> a; std::map<int, int> b;");
  sources["src/high/first.hpp"].needs = needed_headers("fmt::format(\"{}\", 1)");
  EXPECT_THAT(missing_includes(sources), ElementsAre("src/high/first.hpp does not include <fmt/>",
                                                     "src/low/a.cpp does not include <map>"));
  sources["src/low/a.hpp"].foreign = {"<map"};
  sources["src/high/first.hpp"].foreign = {"<fmt/format.h"};
  EXPECT_THAT(missing_includes(sources), IsEmpty());
}

TEST(ArchitectureCheck, FollowsTheIncludesOfTests) {
  Sources sources = small_sources();
  sources["tests/unit/test_a.cpp"] = {.ours = {"b.hpp", "support/c.hpp", "low/a.hpp"},
                                      .needs = {"<map", "<string", "<vector"}};
  sources["tests/unit/b.hpp"].foreign = {"<map"};
  sources["tests/support/c.hpp"].foreign = {"<string"};
  EXPECT_THAT(missing_includes(sources),
              ElementsAre("tests/unit/test_a.cpp does not include <vector>"));
  sources["src/low/a.hpp"].foreign = {"<vector"};
  EXPECT_THAT(missing_includes(sources), IsEmpty());
}

TEST(ArchitectureCheck, ReadsIncludesAsTheyAreWritten) {
  const Source source = read_source("#include \"a/b.hpp\"\n  #include <vector>  // why\nint c;\n");
  EXPECT_THAT(source.ours, ElementsAre("a/b.hpp"));
  EXPECT_THAT(source.foreign, ElementsAre("<vector"));
}

}  // namespace
}  // namespace poet::test
