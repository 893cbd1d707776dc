// The texts of pictures are measured: none leaves its picture or lies on another one, and none on
// paper is below 6 pt.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/error.hpp"
#include "poet/platform.hpp"
#include "poet/plot.hpp"
#include "poet/simulate.hpp"
#include "solver/search/local_search.hpp"
#include "support/contents_of.hpp"
#include "support/curve_points.hpp"
#include "support/ordered_schedule.hpp"
#include "support/picture_faults.hpp"
#include "support/tiny_report.hpp"
#include "support/xml.hpp"

namespace poet {
namespace {

using test::picture_faults;
using test::TinySolve;
using testing::ContainsRegex;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Empty: for screens.
using Width = std::optional<double>;

PictureOptions paper(Width width_mm) {
  return {.width_mm = width_mm, .theme = PictureTheme::light};
}

/// Four sets of techniques under six runtime budgets, on each of the platforms.
std::vector<CurvePoint> many_curves(const std::vector<std::string>& models,
                                    const std::vector<std::string>& platforms, int runtimes) {
  std::vector<CurvePoint> points;
  const std::vector<std::string> techniques{"remat + paging", "remat only", "paging only",
                                            "neither remat nor paging"};
  for (const std::string& model : models) {
    for (const std::string& platform : platforms) {
      for (int k = 0; k < static_cast<int>(techniques.size()); ++k) {
        for (int r = 0; r < runtimes; ++r) {
          for (int b = 0; b < 8; ++b) {
            const bool works = b > k - r;
            const double energy = 10 + 0.1 * (k + 1) * (8 - b) / (1 + 0.3 * r);
            CurvePoint point = test::curve_point(techniques[k], 100000 * (b + 2),
                                                 works ? Status::optimal : Status::infeasible,
                                                 works ? energy : 0, works ? energy : 0);
            point.model = model;
            point.platform = platform;
            point.runtime_budget_ratio = 1.05 + 0.25 * r;
            points.push_back(point);
          }
        }
      }
    }
  }
  return points;
}

std::vector<CurvePoint> over_runtime() {
  std::vector<CurvePoint> points;
  for (CurvePoint point : many_curves({"linear"}, {"m4"}, 6)) {
    if (point.ram_budget_bytes == 600000) points.push_back(point);
  }
  return points;
}

class PaperPictures : public testing::TestWithParam<Width> {
 protected:
  void SetUp() override {
    if (!test::have_python()) GTEST_SKIP() << "no python3 to read XML with";
  }

  static void expect_faultless(const std::vector<std::string>& pictures) {
    EXPECT_THAT(picture_faults(pictures), Each(StartsWith("texts|")));
  }
};

TEST_P(PaperPictures, OfSchedulesHaveReadableTextInItsPlace) {
  std::vector<std::string> pictures;
  for (const Schedule& schedule : {test::keep_all(), test::recompute_a(), test::page_a()}) {
    for (const bool title : {true, false}) {
      PictureOptions options = paper(GetParam());
      options.title = title;
      for (const ColumnWidth columns :
           {ColumnWidth::computation, ColumnWidth::time, ColumnWidth::energy}) {
        options.columns = columns;
        pictures.push_back(schedule_svg(TinySolve(schedule).report(), options));
      }
    }
  }
  expect_faultless(pictures);
}

TEST_P(PaperPictures, OfSweepsHaveReadableTextInItsPlace) {
  std::vector<std::string> pictures;
  for (const auto& points :
       {test::small_sweep(), many_curves({"linear"}, {"m4"}, 6), over_runtime(),
        many_curves({"linear", "bert"}, {"m0", "m4", "a72"}, 1),
        many_curves({"linear", "bert", "vgg16", "resnet18", "resnet50"}, {"m4"}, 2),
        many_curves({"linear", "bert", "vgg16", "resnet18"}, {"m0", "m4", "a72"}, 2),
        std::vector<CurvePoint>{}}) {
    pictures.push_back(sweep_svg(points, paper(GetParam())));
  }
  expect_faultless(pictures);
}

/// Hundreds of tensors, which are recomputed and paged.
ScheduleFile large_schedule(const std::string& name, double share) {
  const Model model = load_model(name);
  const Platform platform = load_platform("a72");
  const Graph graph = cost_graph(model, &platform);
  const Baseline base = baseline(graph);
  const auto ram = static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes));
  const std::optional<Schedule> schedule = first_schedule(
      {.graph = graph,
       .limits = {.ram_budget_bytes = ram, .runtime_budget_seconds = 1.5 * base.runtime_seconds}});
  EXPECT_TRUE(schedule) << name;
  return test::file_of_schedule(model, platform, graph, schedule.value_or(base.schedule));
}

TEST_P(PaperPictures, OfLargeModelsHaveReadableTextInItsPlace) {
  std::vector<std::string> pictures;
  for (const auto& [name, share] : {std::pair("bert", 0.8), std::pair("resnet50", 0.6)}) {
    const ScheduleFile file = large_schedule(name, share);
    EXPECT_GT(file.summary.recompute_count + file.summary.page_in_count, 10) << name;
    for (const LaneChoice lanes :
         {LaneChoice::all, LaneChoice::forward, LaneChoice::changed, LaneChoice::none}) {
      PictureOptions options = paper(GetParam());
      options.lanes = lanes;
      pictures.push_back(schedule_svg(file, options));
      EXPECT_THAT(pictures.back(), HasSubstr("RAM by kind of layer"));
      EXPECT_LT(pictures.back().size(), 1'000'000U);
    }
  }
  expect_faultless(pictures);
}

INSTANTIATE_TEST_SUITE_P(Widths, PaperPictures, testing::Values(Width(), 80, 84, 120, 174, 400),
                         [](const auto& width) {
                           return width.param ? fmt::format("{}mm", *width.param) : "Screen";
                         });

TEST(PictureFaults, AreFound) {
  if (!test::have_python()) GTEST_SKIP() << "no python3 to read XML with";
  const std::vector<std::string> faults = picture_faults(
      {"<svg xmlns='http://www.w3.org/2000/svg' width='84mm' viewBox='0 0 400 100'>"
       "<style>text { font-size: 12px } .lane { font-size: 9px }</style>"
       "<text x='10' y='50'>first</text><text x='20' y='52'>second</text>"
       "<text x='380' y='90'>beyond the edge</text><text x='10' y='20' class='lane'>tiny</text>"
       "</svg>",
       "<svg xmlns='http://www.w3.org/2000/svg' width='84mm' viewBox='0 0 400 100'>"
       "<style>text { font-size: 12px }</style><text x='10' y='50'>right</text></svg>",
       "no picture"});
  EXPECT_THAT(faults[0], HasSubstr("overlap|second|first"));
  EXPECT_THAT(faults[0], HasSubstr("outside|beyond the edge"));
  EXPECT_THAT(faults[0], HasSubstr("small|tiny|5.36"));
  EXPECT_THAT(faults[0], HasSubstr("texts|4"));
  EXPECT_EQ(faults[1], "texts|1\n");
  EXPECT_THAT(faults[2], StartsWith("not a picture: "));
}

TEST(PictureOptions, DecideTheTheme) {
  const auto drawn = [](PictureTheme theme) {
    return schedule_svg(TinySolve(test::page_a()).report(), {.theme = theme});
  };
  EXPECT_THAT(drawn(PictureTheme::automatic), HasSubstr("prefers-color-scheme: dark"));
  for (const PictureTheme theme : {PictureTheme::light, PictureTheme::dark}) {
    EXPECT_THAT(drawn(theme), Not(HasSubstr("@media")));
  }
  EXPECT_THAT(drawn(PictureTheme::light), Not(HasSubstr("#15181c")));
  EXPECT_THAT(drawn(PictureTheme::dark), HasSubstr(".paper { fill: #15181c }"));
}

TEST(PictureOptions, ChooseTheLanes) {
  const auto drawn = [](const Schedule& schedule, LaneChoice lanes) {
    return schedule_svg(TinySolve(schedule).report(), {.lanes = lanes});
  };
  const std::string paged = drawn(test::page_a(), LaneChoice::changed);
  EXPECT_THAT(paged, HasSubstr(">0 a</text>"));
  EXPECT_THAT(paged, ContainsRegex("class=.lane end.*0 a"));
  EXPECT_THAT(paged, Not(HasSubstr(">1 b</text>")));
  EXPECT_THAT(paged, HasSubstr(">paged in</text>"));
  EXPECT_THAT(paged, Not(HasSubstr(">recomputed</text>"))) << "no entry for what is not there";
  EXPECT_THAT(drawn(test::keep_all(), LaneChoice::changed), HasSubstr(">None.</text>"));
  EXPECT_THAT(drawn(test::keep_all(), LaneChoice::forward), HasSubstr(">1 b</text>"));
  EXPECT_THAT(drawn(test::keep_all(), LaneChoice::none), Not(HasSubstr("class=\"lane")));
}

TEST(PictureOptions, RefuseAWidthOutOfRange) {
  for (const double width : {0.0, 5.0, 79.9, 400.1, std::nan(""), 1e300, -84.0}) {
    EXPECT_THROW(sweep_svg(test::small_sweep(), paper(width)), InputError) << width;
  }
}

TEST(SweepSvg, HasNoEntryForWhatItDoesNotShow) {
  const auto one = test::curve_point("remat", 100, Status::optimal, 10, 10);
  const std::string picture = sweep_svg(std::vector{one});
  EXPECT_THAT(picture, HasSubstr(">proven optimal</text>"));
  for (const char* entry : {"not proven", ">infeasible</text>", "no schedule found"}) {
    EXPECT_THAT(picture, Not(HasSubstr(entry)));
  }
}

}  // namespace
}  // namespace poet
