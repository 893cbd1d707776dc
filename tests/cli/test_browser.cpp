// Pictures are opened in a browser, which says what a reader would see: text that lies on other
// text, or that reaches beyond the picture.
#include <filesystem>
#include <sstream>

#include "cli/browser.hpp"
#include "cli/poet_solve.hpp"
#include "cli/sweep_files.hpp"
#include "poet/plot.hpp"
#include "support/curve_points.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Runs in the page and leaves its findings in it.
constexpr const char* kScript = R"(<script>
const findings = [];
for (const svg of document.querySelectorAll('svg')) {
  const page = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')].map(
      text => ({name: text.lastChild.data, box: text.getBoundingClientRect()}));
  const name = svg.querySelector('title').textContent;
  const report = (what, ...names) => findings.push([name, what, ...names].join('|'));
  const slack = 0.5;
  for (const {name, box} of texts) {
    const inside = box.left >= page.left && box.right <= page.right && box.top >= page.top &&
                   box.bottom <= page.bottom;
    if (!inside) report('outside', name);
  }
  for (let i = 0; i < texts.length; ++i) {
    for (let j = i + 1; j < texts.length; ++j) {
      const a = texts[i].box, b = texts[j].box;
      // The box of a line is higher than its letters.
      const height = 0.7 * Math.min(a.height, b.height);
      const apart = a.right <= b.left + slack || b.right <= a.left + slack ||
                    Math.abs((a.top + a.bottom) / 2 - (b.top + b.bottom) / 2) >= height;
      if (!apart) report('overlap', texts[i].name, texts[j].name);
    }
  }
  report('texts', texts.length);
}
document.body.replaceChildren(findings.join('\n'));
</script>)";

/// The lines of the console but for what speedscope says of itself and of WebGL.
std::string complaints(const std::string& console) {
  std::string found;
  std::istringstream lines(console);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("CONSOLE") == std::string::npos) continue;
    bool harmless = false;
    for (const char* text :
         {"] \"speedscope v", "WebGL", "] \"Importing as Trace Event Format", "] \"import: "}) {
      harmless = harmless || line.find(text) != std::string::npos;
    }
    if (!harmless) found += line + '\n';
  }
  return found;
}

class Browser : public BrowserTest {
 protected:
  /// What the script finds in a page with these pictures.
  std::string findings(const std::vector<std::string>& pictures) const {
    std::string page = "<!DOCTYPE html><meta charset=\"utf-8\"><body>";
    for (const std::string& picture : pictures) page += picture;
    const Finished run = browse(folder_.write("page.html", page + kScript));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.err, Not(HasSubstr("CONSOLE")));
    return run.out;
  }
};

std::string plot(const Words& words) {
  return poet_solve({"plot", "-"}, poet_solve(words).out).out;
}

TEST_F(Browser, OpensAPictureWithoutComplaint) {
  const std::string picture = plot(problem("linear", "m0", "3256", "2"));
  const Finished good = browse(folder_.write("good.svg", picture));
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("linear on m0"));
  EXPECT_THAT(good.out, Not(HasSubstr("parsererror")));
  EXPECT_THAT(good.err, Not(HasSubstr("CONSOLE")));
  // What it does complain about.
  const std::string cut = picture.substr(0, picture.size() / 2);
  EXPECT_THAT(browse(folder_.write("bad.svg", cut)).out, HasSubstr("parsererror"));
}

TEST_F(Browser, FindsTextsThatCollideOrLeaveThePicture) {
  const std::string picture =
      "<svg width='200' height='100'><title>bad</title>"
      "<text x='10' y='50'>first</text><text x='20' y='52'>second</text>"
      "<text x='180' y='90'>beyond the edge</text></svg>";
  const std::string found = findings({picture});
  EXPECT_THAT(found, HasSubstr("bad|overlap|first|second"));
  EXPECT_THAT(found, HasSubstr("bad|outside|beyond the edge"));
  EXPECT_THAT(found, HasSubstr("bad|texts|3"));
}

TEST_F(Browser, FindsEveryTextInItsPlace) {
  const Words fast{"--effort", "fast", "--time-limit-s", "2"};
  std::vector<std::string> pictures;
  pictures.push_back(plot(problem("linear", "m0", "3256", "2")));
  pictures.push_back(plot(problem("linear", "m4", "100%", "1")));
  pictures.push_back(plot(problem("resnet18_cifar", "a72", "40%", "1.5") + fast));
  pictures.push_back(plot(problem("bert", "a72", "80%", "1.5") + fast));
  pictures.push_back(plot(problem("resnet50", "a72", "80%", "1.5") + fast));
  pictures.push_back(sweep_svg(small_sweep()));
  pictures.push_back(plot(sweep(
      "linear,transformer", "m0,a72", "30%..100%:8", "1.05,2",
      {"--techniques", "both,remat,paging,none", "--effort", "fast", "--time-limit-s", "1"})));
  std::vector<CurvePoint> two_models = small_sweep();
  for (CurvePoint point : small_sweep()) {
    point.model = "another";
    point.energy_joules *= 5;
    two_models.push_back(point);
  }
  pictures.push_back(sweep_svg(two_models));
  pictures.push_back(sweep_svg({}));
  const std::string resnet50 = poet_solve(problem("resnet50", "a72", "60%", "1.5") + fast).out;
  for (const char* width : {"84mm", "174mm"}) {
    const Words paper{"--width", width};
    pictures.push_back(poet_solve(Words{"plot", "-"} + paper, resnet50).out);
    pictures.push_back(
        poet_solve(Words{"plot", "-", "--x-axis", "time", "--lanes", "changed"} + paper, resnet50)
            .out);
  }
  for (const double width : {84.0, 174.0}) {
    pictures.push_back(sweep_svg(small_sweep(), {.width_mm = width}));
    pictures.push_back(sweep_svg(two_models, {.width_mm = width, .title = false}));
  }
  const std::string found = findings(pictures);
  EXPECT_THAT(found, Not(HasSubstr("|overlap|"))) << found;
  EXPECT_THAT(found, Not(HasSubstr("|outside|"))) << found;
  EXPECT_THAT(found, HasSubstr("resnet50 on a72|texts|"));
}

/// speedscope's own page, as its program opens a file in it.
TEST_F(Browser, SpeedscopeOpensATraceWithoutComplaint) {
  const std::string page = std::string(POET_SPEEDSCOPE) + "/dist/release/index.html";
  if (!std::filesystem::exists(page)) {
    GTEST_SKIP() << "no speedscope; scripts/install-speedscope puts it there";
  }
  const Words blocking{"--paging-time", "blocking", "--effort", "fast", "--time-limit-s", "5"};
  const std::string schedule =
      poet_solve(problem("resnet18_cifar", "m4", "40%", "1.5") + blocking).out;
  const std::string trace = poet_solve({"plot", "-", "--format", "trace"}, schedule).out;
  const auto open = [&](const std::string& text) {
    const std::string script =
        folder_.write("load.js", "speedscope.loadFileFromBase64(\"step.json\", btoa(" +
                                     nlohmann::json(text).dump() + "))");
    return browse(page + "#localProfilePath=" + script, {"--virtual-time-budget=5000"});
  };
  const Finished good = open(trace);
  EXPECT_THAT(good.out, HasSubstr("<title>step.json - speedscope</title>"));
  EXPECT_THAT(good.out, HasSubstr("computations (tid 1)"));
  EXPECT_EQ(complaints(good.err), "");
  // What it does complain about: a computation that reaches into the next.
  nlohmann::json torn = nlohmann::json::parse(trace);
  for (nlohmann::json& event : torn.at("traceEvents")) {
    if (event.at("ph") == "X") event["dur"] = event["dur"].get<double>() * 1.01;
  }
  EXPECT_THAT(complaints(open(torn.dump()).err), HasSubstr("Tried to end"));
}

}  // namespace
}  // namespace poet::test
