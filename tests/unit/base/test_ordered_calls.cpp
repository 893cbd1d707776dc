#include "base/process/ordered_calls.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace poet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Calls = OrderedCalls<int, int, int>;

void wait_milliseconds(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// What a run does, step by step, and the tasks that it leaves.
struct Course {
  std::vector<std::string> steps;
  std::vector<int> left;
};

/// Tasks 0, 1, ... below `count`, each of which gives its square.
class Squares {
 public:
  Squares(int processes, std::size_t length, int count) {
    calls.processes = processes;
    calls.length = length;
    calls.draw = [this, count]() -> std::optional<int> {
      if (next_ == count) return std::nullopt;
      course.steps.push_back("draw " + std::to_string(next_));
      return next_++;
    };
    calls.needless = [](int) { return false; };
    calls.work = [](int task, const auto&) { return task * task; };
    calls.check = [](int) {};
    calls.on_report = [](int&, int, bool) {};
    calls.take = [this](int task, std::optional<Calls::Answer> answer) {
      std::string came = "nothing";
      if (answer) came = answer->result ? std::to_string(*answer->result) : answer->failure;
      course.steps.push_back("take " + std::to_string(task) + ": " + came);
      return true;
    };
    calls.on_tick = [] { return true; };
  }

  Course run() {
    course.left = calls.run();
    return course;
  }

  Calls calls;
  Course course;

 private:
  int next_ = 0;
};

/// Whether this process has no child, running or ended.
bool has_no_children() {
  return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

TEST(OrderedCalls, TakeAndDrawInTurnHoweverManyRun) {
  for (const int processes : {1, 2, 3, 8}) {
    Squares squares(processes, 3, 5);
    // Later tasks are faster.
    squares.calls.work = [](int task, const auto&) {
      wait_milliseconds(20 * (5 - task));
      return task * task;
    };
    const Course course = squares.run();
    EXPECT_THAT(course.steps,
                ElementsAre("draw 0", "draw 1", "draw 2", "take 0: 0", "draw 3", "take 1: 1",
                            "draw 4", "take 2: 4", "take 3: 9", "take 4: 16"))
        << processes << " processes";
    EXPECT_THAT(course.left, IsEmpty());
    EXPECT_TRUE(has_no_children());
  }
}

TEST(OrderedCalls, RunAsManyAtTheSameTimeAsTheyMay) {
  // Each task waits for a sign of the other one.
  int ends[2][2];
  for (auto& pipe : ends) ASSERT_EQ(::pipe(pipe), 0);
  Squares squares(2, 2, 2);
  squares.calls.work = [&](int task, const auto&) {
    char sign = 'x';
    const bool met =
        ::write(ends[task][1], &sign, 1) == 1 && ::read(ends[1 - task][0], &sign, 1) == 1;
    return met ? 1 : 0;
  };
  EXPECT_THAT(squares.run().steps, ElementsAre("draw 0", "draw 1", "take 0: 1", "take 1: 1"));
  for (auto& pipe : ends) {
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
}

TEST(OrderedCalls, GoOnWhereAProcessIsKilled) {
  for (const int processes : {1, 2}) {
    Squares squares(processes, 2, 3);
    squares.calls.work = [](int task, const auto&) {
      if (task == 1) ::raise(SIGKILL);
      return task;
    };
    const Course course = squares.run();
    EXPECT_THAT(course.steps, ElementsAre("draw 0", "draw 1", "take 0: 0", "draw 2",
                                          HasSubstr("take 1: killed by signal 9"), "take 2: 2"));
    EXPECT_TRUE(has_no_children());
  }
}

TEST(OrderedCalls, RefuseAResultThatTheCheckRefuses) {
  Squares squares(2, 2, 2);
  squares.calls.check = [](int result) {
    if (result == 1) throw MalformedMessage("not one");
  };
  EXPECT_THAT(squares.run().steps, ElementsAre("draw 0", "draw 1", "take 0: 0",
                                               HasSubstr("take 1: ended: it sent what cannot")));
}

TEST(OrderedCalls, LeaveOutWhatHasBecomeNeedless) {
  for (const int processes : {1, 3}) {
    bool enough = false;
    Squares squares(processes, 3, 4);
    squares.calls.work = [](int task, const auto&) {
      if (task > 0) ::pause();  // so the test ends only if this is killed, or not begun
      return task;
    };
    squares.calls.needless = [&](int) { return enough; };
    const auto take = squares.calls.take;
    squares.calls.take = [&](int& task, std::optional<Calls::Answer> answer) {
      enough = true;
      return take(task, std::move(answer));
    };
    EXPECT_THAT(squares.run().steps,
                ElementsAre("draw 0", "draw 1", "draw 2", "take 0: 0", "draw 3", "take 1: nothing",
                            "take 2: nothing", "take 3: nothing"));
    EXPECT_TRUE(has_no_children());
  }
}

TEST(OrderedCalls, TellWhichReportsAreTheFirstTasks) {
  Squares squares(2, 2, 2);
  squares.calls.work = [](int task, const auto& report) {
    report(10 * task);
    wait_milliseconds(task == 0 ? 200 : 0);
    return task;
  };
  std::vector<std::string> reports;
  squares.calls.on_report = [&](int& task, int report, bool is_first) {
    reports.push_back(std::to_string(task) + ": " + std::to_string(report) +
                      (is_first ? " first" : ""));
  };
  squares.run();
  std::sort(reports.begin(), reports.end());
  EXPECT_THAT(reports, ElementsAre("0: 0 first", "1: 10"));
}

TEST(OrderedCalls, EndByTheCallerAndReturnWhatIsLeft) {
  for (const int processes : {1, 2}) {
    Squares squares(processes, 3, 9);
    const auto take = squares.calls.take;
    squares.calls.take = [&](int& task, std::optional<Calls::Answer> answer) {
      take(task, std::move(answer));
      return task < 1;
    };
    EXPECT_THAT(squares.run().left, ElementsAre(2, 3));
    EXPECT_TRUE(has_no_children());
  }
}

TEST(OrderedCalls, ShareTheMemoryAmongThoseThatRun) {
#ifdef POET_SANITIZE
  GTEST_SKIP() << "the sanitizer reserves address space in terabytes";
#endif
  constexpr int kMebibytes = 256;
  const auto sum_taken = [](int processes, std::size_t length) {
    Squares squares(processes, length, 4);
    squares.calls.memory_bytes = Bytes{kMebibytes} << 20;
    // As many blocks of a mebibyte as it can get.
    squares.calls.work = [](int, const auto&) {
      std::vector<std::unique_ptr<char[]>> blocks;
      try {
        while (blocks.size() < 4 * kMebibytes) {
          blocks.push_back(std::make_unique_for_overwrite<char[]>(std::size_t{1} << 20));
        }
      } catch (const std::bad_alloc&) {
        return static_cast<int>(blocks.size());
      }
      return static_cast<int>(blocks.size());
    };
    int sum = 0;
    squares.calls.take = [&](int, std::optional<Calls::Answer> answer) {
      sum += answer.value().result.value();
      return true;
    };
    squares.run();
    return sum;
  };
  const int one_by_one = sum_taken(1, 4);
  EXPECT_GT(one_by_one, 3 * kMebibytes) << "each had the memory to itself";
  EXPECT_LE(one_by_one, 4 * kMebibytes);
  const int together = sum_taken(4, 4);
  EXPECT_GT(together, kMebibytes / 2);
  EXPECT_LE(together, kMebibytes);
  // The line holds two, so no more run at the same time.
  const int two_by_two = sum_taken(4, 2);
  EXPECT_GT(two_by_two, 3 * kMebibytes / 2);
  EXPECT_LE(two_by_two, 2 * kMebibytes);
}

TEST(OrderedCalls, EndByATickAndKillWhatRuns) {
  Squares squares(2, 2, 2);
  squares.calls.work = [](int, const auto&) {
    ::pause();
    return 0;
  };
  int ticks = 0;
  squares.calls.on_tick = [&] { return ++ticks < 3; };
  const Course course = squares.run();
  EXPECT_THAT(course.steps, ElementsAre("draw 0", "draw 1"));
  EXPECT_THAT(course.left, ElementsAre(0, 1));
  EXPECT_TRUE(has_no_children());
}

}  // namespace
}  // namespace poet
