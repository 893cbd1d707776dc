#include "formats/write_trace.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/random_exact_schedules.hpp"
#include "support/tiny_report.hpp"
#include "support/tiny_schedules.hpp"

namespace poet::test {
namespace {

using nlohmann::json;

constexpr double kMicroseconds = 1e6;

/// The events of one phase: C a counter, b and e a tensor's stay.
std::vector<json> events_of(const json& trace, const std::string& phase,
                            const std::string& name = {}) {
  std::vector<json> found;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == phase && (name.empty() || event.at("name") == name)) {
      found.push_back(event);
    }
  }
  return found;
}

/// Computations and transfers, those that take no time included.
std::vector<json> spans_of(const json& trace) {
  std::vector<json> found;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" && event.at("ph") != "i") continue;
    EXPECT_EQ(event.at("ph") == "i", !event.contains("dur"));
    if (event.contains("dur")) {
      EXPECT_GT(event.at("dur").get<double>(), 0);
    }
    found.push_back(event);
  }
  return found;
}

/// With any kind of paging time.
ScheduleFile drawn_file(int seed) {
  Twister random(seed);
  const Case drawn = random_exact_case(random);
  ScheduleFile file;
  file.graph = drawn.graph;
  file.schedule = drawn.schedule;
  file.request.limits = drawn.limits;
  return file;
}

TEST(Trace, HasTheFiguresOfTheReplayAtEveryComputation) {
  std::set<PagingTime> times;
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const ScheduleFile file = drawn_file(seed);
    const PagingTime time = file.request.limits.paging_time;
    times.insert(time);
    const json trace = json::parse(schedule_trace(file));
    const auto samples = ram_timeline(file.graph, file.schedule, time);
    const std::vector<json> counters = events_of(trace, "C", "RAM in bytes");
    ASSERT_EQ(counters.size(), samples.size());
    std::size_t computation = 0;
    double end = 0;
    std::map<int, double> free_from;  // by track
    for (const json& event : spans_of(trace)) {
      const double until = event.at("ts").get<double>() + event.value("dur", 0.0);
      end = std::max(end, until);
      double& last = free_from[event.at("tid").get<int>()];
      EXPECT_GE(event.at("ts").get<double>(), last) << "viewers would nest it in the one before";
      last = until;
      if (event.at("tid") != 1) continue;
      const RamSample& sample = samples.at(computation);
      EXPECT_EQ(event.at("args").at("ram_bytes"), sample.ram_bytes);
      EXPECT_EQ(event.at("args").at("stage"), sample.stage);
      Bytes sum = 0;
      for (const auto& [kind, bytes] : counters[computation].at("args").items()) {
        sum += bytes.get<Bytes>();
      }
      EXPECT_EQ(sum, sample.ram_bytes) << "computation " << computation;
      EXPECT_EQ(counters[computation].at("ts"), event.at("ts"));
      ++computation;
    }
    EXPECT_EQ(computation, samples.size());
    const Replay replay = simulate(file.graph, file.schedule, {.paging_time = time});
    EXPECT_NEAR(end, kMicroseconds * replay.runtime_seconds,
                1e-9 * kMicroseconds * replay.runtime_seconds);
    const double spent =
        events_of(trace, "C", "energy in joules").back().at("args").at("spent").get<double>();
    EXPECT_NEAR(spent, replay.energy_joules, 1e-9 * replay.energy_joules);
  }
  EXPECT_EQ(times.size(), 3U);
}

TEST(Trace, HasAStayOfEachTensorInRam) {
  const ScheduleFile file = TinySolve(page_a()).report();
  const json trace = json::parse(schedule_trace(file));
  const std::vector<json> begins = events_of(trace, "b");
  const std::vector<json> ends = events_of(trace, "e");
  ASSERT_EQ(begins.size(), ends.size());
  std::map<int, json> begun;
  for (const json& begin : begins) {
    EXPECT_TRUE(begin.at("args").contains("offset"));
    EXPECT_GT(begin.at("args").at("bytes"), 0);
    EXPECT_TRUE(begun.emplace(begin.at("id").get<int>(), begin).second) << "an id twice";
  }
  for (const json& end : ends) {
    const json& begin = begun.at(end.at("id").get<int>());
    EXPECT_EQ(begin.at("name"), end.at("name"));
    EXPECT_LE(begin.at("ts"), end.at("ts"));
  }
  const auto count = [&](const char* arrival) {
    return std::count_if(begins.begin(), begins.end(), [&](const json& begin) {
      return begin.at("args").at("arrival") == arrival;
    });
  };
  EXPECT_EQ(count("computed"), file.graph.size());
  EXPECT_EQ(count("paged_in"), file.summary.page_in_count);
  EXPECT_EQ(count("recomputed"), file.summary.recompute_count);
}

}  // namespace
}  // namespace poet::test
