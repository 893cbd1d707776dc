// Pages are opened in a browser, used by a script as a reader would, and read.
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "cli/browser.hpp"
#include "cli/poet_solve.hpp"
#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

/// Runs behind the page's own script, uses the page, and leaves what it found as JSON.
constexpr const char* kReader = R"(<script>
{
const found = {figures: {}, reasons: {}, keys: {}, points: []};
for (const entry of document.querySelectorAll('[id^="figure-"]')) {
  found.figures[entry.id.slice(7)] = Number(entry.querySelector('data').value);
}
const slider = document.getElementById('step');
if (slider) {
  found.ram = columns.ram.map((bytes, step) => {
    slider.value = step;
    slider.dispatchEvent(new Event('input'));
    return document.querySelector('output').textContent.includes(bytesText(bytes)) ? bytes : -1;
  });
  const search = document.getElementById('search');
  const enter = (element, key) => element.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
  search.value = data.nodes[0].op;
  search.dispatchEvent(new Event('input'));
  found.hits = [document.querySelector('.hits li').textContent, document.querySelectorAll('.hits button').length];
  const lanes = document.querySelector('.lanes');
  found.rows = [...lanes.querySelectorAll('.ticks span')].map((name) => name.textContent);
  found.hidden = lanes.scrollHeight > lanes.clientHeight;
  data.nodes.forEach((node) => {
    search.value = node.name;
    search.dispatchEvent(new Event('input'));
    const hit = [...document.querySelectorAll('.hits button')].find((button) => button.textContent === node.name);
    hit.click();
    const rows = [...document.querySelectorAll('#tensor .reasons tr')].slice(1).map((row) => row.textContent);
    found.reasons[node.name] = {fate: document.querySelector('.fate').textContent, rows};
  });
  const chart = document.querySelector('svg[tabindex]');
  enter(chart, 'Home');
  enter(chart, 'ArrowRight');
  found.keys.right = slider.value;
  enter(chart, '+');
  found.keys.zoomed = chart.viewBox.baseVal.width < columns.ram.length;
  enter(chart, '0');
  found.keys.all = chart.viewBox.baseVal.width === columns.ram.length;
  enter(chart, 'End');
  found.keys.end = slider.value;
}
for (const row of document.querySelectorAll('#points tr')) {
  found.points.push([...row.querySelectorAll('data')].map((figure) => Number(figure.value)));
}
for (const button of document.querySelectorAll('button.point')) button.focus();
found.tip = document.querySelector('.tip').textContent;
found.requests = performance.getEntriesByType('resource').map((entry) => entry.name);
found.ground = getComputedStyle(document.body).backgroundColor;
document.body.replaceChildren('FOUND' + JSON.stringify(found) + 'END');
}
</script>)";

class Page : public BrowserTest {
 protected:
  json read(const std::string& page) const {
    const Finished run = browse(folder_.write("page.html", page + kReader));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.err, Not(HasSubstr("CONSOLE")));
    const std::size_t begin = run.out.find("FOUND");
    const std::size_t end = run.out.rfind("END");
    if (begin == std::string::npos) {
      ADD_FAILURE() << run.out;
      return {};
    }
    std::string text = run.out.substr(begin + 5, end - begin - 5);
    for (const auto& [escape, character] :
         {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&amp;", "&"}}) {
      for (std::size_t at = 0; (at = text.find(escape, at)) != std::string::npos; ++at) {
        text.replace(at, std::string_view(escape).size(), character);
      }
    }
    return json::parse(text);
  }
};

std::string page_of(const std::string& text, const Words& more = {}) {
  return poet_solve(Words{"plot", "-", "--format", "html"} + more, text).out;
}

TEST_F(Page, ShowsTheFiguresOfTheFileAndAReasonForEachTensorThatReturns) {
  const std::string text =
      poet_solve(problem("resnet18_cifar", "a72", "30%", "1.5") +
                 Words{"--effort", "fast", "--time-limit-s", "5", "--paging-time", "blocking"})
          .out;
  const json file = json::parse(text);
  const json found = read(page_of(text));
  EXPECT_EQ(found.at("requests"), json::array());
  EXPECT_GE(found.at("figures").size(), 12U);
  for (const auto& [key, value] : found.at("figures").items()) {
    const json& part = file.at("summary").contains(key) ? file["summary"] : file["request"];
    EXPECT_EQ(value.get<double>(), part.at(key).get<double>()) << key;
  }
  std::vector<std::int64_t> peaks;  // of each stage, from its computations
  std::size_t column = 0;
  for (const json& stage : file.at("stages")) {
    std::int64_t peak = 0;
    for (std::size_t i = 0; i < stage.at("compute").size(); ++i) {
      peak = std::max(peak, found.at("ram").at(column++).get<std::int64_t>());
    }
    EXPECT_EQ(peak, stage.at("peak_ram_bytes")) << "stage " << stage.at("stage");
  }
  EXPECT_EQ(column, found.at("ram").size());
  const json& nodes = file.at("nodes");
  const auto like_the_first = std::count_if(nodes.begin(), nodes.end(), [&](const json& node) {
    return (node.at("name").get<std::string>() + " " + node.at("op").get<std::string>())
               .find(nodes[0].at("op")) != std::string::npos;
  });
  EXPECT_EQ(found.at("hits")[0].get<std::string>(),
            fmt::format("{} of {} tensors have this name or op", like_the_first, nodes.size()));
  EXPECT_EQ(found.at("hits")[1], like_the_first);
  ASSERT_EQ(found.at("rows").size(), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_EQ(found["rows"][i], nodes[i].at("name"));
  EXPECT_FALSE(found.at("hidden").get<bool>()) << "all rows are on the page";
  int returning = 0;
  for (const json& stage : file.at("stages")) {
    for (const json& node : stage.at("page_in")) {
      const json& reason =
          found.at("reasons").at(file["nodes"][node.get<int>()]["name"].get<std::string>());
      EXPECT_THAT(reason.at("fate").get<std::string>(), HasSubstr("paged out and in"));
      // Two rows for each: what it costs, and the verdict.
      EXPECT_GE(reason.at("rows").size(), 4U);
      EXPECT_THAT(reason.at("rows")[0].get<std::string>(), HasSubstr("keep it"));
      ++returning;
    }
  }
  EXPECT_GT(returning, 0);
  EXPECT_EQ(found.at("keys"), (json{{"right", "1"},
                                    {"zoomed", true},
                                    {"all", true},
                                    {"end", std::to_string(found.at("ram").size() - 1)}}));
}

TEST_F(Page, HasAThemeAndTakesNamesAsText) {
  std::string model = measured_model();
  const std::string name = "</script><img src=x onerror=alert(1)>@DATA@";
  for (std::size_t at = 0; (at = model.find("\"a\"", at)) != std::string::npos;) {
    model.replace(at, 3, '"' + name + '"');
  }
  const std::string text =
      poet_solve({"--model", "-", "--ram-budget", "100%", "--runtime-budget", "2"}, model).out;
  const json dark = read(page_of(text, {"--theme", "dark"}));
  EXPECT_TRUE(dark.at("reasons").contains(name));
  EXPECT_EQ(dark.at("ground"), "rgb(21, 24, 28)");
  EXPECT_EQ(read(page_of(text, {"--theme", "light"})).at("ground"), "rgb(255, 255, 255)");
}

TEST_F(Page, OfASweepHasEachPoint) {
  const std::string lines =
      poet_solve(sweep("linear,transformer", "m4", "40%,60%", "1.5,2",
                       {"--techniques", "both,remat", "--effort", "fast", "--time-limit-s", "1"}))
          .out;
  const json found = read(page_of(lines));
  const Lines rows = as_lines(lines);
  ASSERT_EQ(found.at("points").size(), rows.size() + 1) << "and the head";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json& figures = found["points"][i + 1];
    EXPECT_EQ(figures.at(0), rows[i].at("ram_budget_bytes"));
    EXPECT_EQ(figures.at(1), rows[i].at("runtime_budget_ratio"));
    if (rows[i].at("energy_joules").is_null()) continue;
    EXPECT_EQ(figures.at(2), rows[i].at("energy_joules"));
    EXPECT_EQ(figures.at(3), rows[i].at("lower_bound_joules"));
  }
  EXPECT_THAT(found.at("tip").get<std::string>(), HasSubstr("over the baseline"));
}

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

/// speedscope's own page, as its program opens a file in it.
TEST_F(Page, OfSpeedscopeOpensATraceWithoutComplaint) {
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

TEST(PageOptions, OfPicturesAreRefused) {
  const std::string text = poet_solve(quick_problem()).out;
  const Finished run = poet_solve({"plot", "-", "--format", "html", "--width", "84mm"}, text);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--width: found with --format html; expected svg or pdf"));
  const std::string page = page_of(text);
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_EQ(page.find("://"), page.find("://www.w3.org/2000/svg")) << "a name, no address";
  EXPECT_EQ(page.find("://"), page.rfind("://"));
}

}  // namespace
}  // namespace poet::test
