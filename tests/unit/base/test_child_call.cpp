#include "base/process/call_messages.hpp"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/fields.hpp"

namespace poet {

/// What a child works out in these tests.
struct Finding {
  enum class Colour { red, green };
  Colour colour = Colour::red;
  std::vector<double> numbers;
  std::vector<bool> flags;
  std::optional<Schedule> schedule;
  std::string words;

  bool operator==(const Finding&) const = default;
};

template <>
inline constexpr auto kLast<Finding::Colour> = Finding::Colour::green;

template <>
inline constexpr auto kFields<Finding> = std::tuple(Field<&Finding::colour>{},
                                                    Field<&Finding::numbers>{},
                                                    Field<&Finding::flags>{},
                                                    Field<&Finding::schedule>{},
                                                    Field<&Finding::words>{});

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Call = ChildCall<int, Finding>;
using Report = std::function<void(const int&)>;

/// A call that takes every report and any result.
Call call_of(const std::function<Finding(const Report&)>& work) {
  return {.work = work,
          .on_report = [](int) { return true; },
          .check = [](const Finding&) {},
          .on_tick = [] { return true; },
          .seconds = 60};
}

TEST(ChildCall, BringsTheReportsInOrderAndTheResultAsItWas) {
  Schedule schedule;
  schedule.stages = {{.compute = {0}, .page_out = {0}},
                     {.resident = {0}, .compute = {2, 1}},
                     {.page_in = {0, 1}},
                     {}};
  const Finding found{.colour = Finding::Colour::green,
                      .numbers = {1.5, -1e300},
                      .flags = {true, false},
                      .schedule = schedule,
                      .words = "as it was"};
  Call call = call_of([&](const Report& report) {
    for (const int number : {1, 2, 3}) report(number);
    return found;
  });
  std::vector<int> reports;
  call.on_report = [&](int report) {
    reports.push_back(report);
    return true;
  };
  const auto answer = call.run();
  ASSERT_TRUE(answer.result);
  EXPECT_EQ(*answer.result, found);
  EXPECT_FALSE(answer.stopped);
  EXPECT_EQ(answer.failure, "");
  EXPECT_THAT(reports, ElementsAre(1, 2, 3));
}

TEST(ChildCall, ThatItsCallerStopsHasNoResult) {
  Call call = call_of([](const Report& report) {
    report(1);
    ::pause();
    return Finding{};
  });
  call.on_report = [](int) { return false; };
  const auto answer = call.run();
  EXPECT_FALSE(answer.result);
  EXPECT_TRUE(answer.stopped);
  EXPECT_EQ(answer.failure, "");
}

TEST(ChildCall, ThatOverrunsItsTimeIsStopped) {
  Call call = call_of([](const Report&) {
    ::pause();
    return Finding{};
  });
  call.seconds = 0.1;
  EXPECT_TRUE(call.run().stopped);
}

TEST(ChildCall, ThatCrashesSaysHow) {
  const auto answer = call_of([](const Report&) -> Finding { std::abort(); }).run();
  EXPECT_FALSE(answer.result);
  EXPECT_FALSE(answer.stopped);
  EXPECT_THAT(answer.failure, HasSubstr("signal 6"));
}

TEST(ChildCall, ThatEndsWithoutAnAnswerSaysSo) {
  const auto answer = call_of([](const Report&) -> Finding { ::_exit(0); }).run();
  EXPECT_FALSE(answer.result);
  EXPECT_EQ(answer.failure, "gave no answer");
}

TEST(ChildCall, TakesNoResultThatItsCallerRefuses) {
  Call call = call_of([](const Report&) { return Finding{}; });
  call.check = [](const Finding&) { throw MalformedMessage("it is red"); };
  const auto answer = call.run();
  EXPECT_FALSE(answer.result);
  EXPECT_THAT(answer.failure, HasSubstr("it is red"));
}

TEST(ChildCall, EndsAChildThatTakesTooMuchMemoryAndNoOther) {
#ifdef POET_SANITIZE
  GTEST_SKIP() << "the sanitizer reserves address space in terabytes";
#endif
  const auto taking = [](std::size_t bytes) {
    Call call = call_of([bytes](const Report&) {
      const std::vector<double> numbers(bytes / sizeof(double), 1);
      return Finding{.numbers = {numbers.back()}};
    });
    call.memory_bytes = Bytes{1} << 28;
    return call.run();
  };
  const ChildAnswer<Finding> more = taking(std::size_t{1} << 30);
  EXPECT_FALSE(more.result);
  EXPECT_THAT(more.failure, HasSubstr("out of memory"));
  const ChildAnswer<Finding> less = taking(std::size_t{1} << 26);
  ASSERT_TRUE(less.result) << less.failure;
  EXPECT_THAT(less.result->numbers, ElementsAre(1));
}

}  // namespace
}  // namespace poet
