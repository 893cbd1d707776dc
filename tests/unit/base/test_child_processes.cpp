#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/process/child_process.hpp"

namespace poet {
namespace {

using testing::HasSubstr;

Message message_of(const std::string& text) {
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

/// Sends a word and ends as `end` does.
ChildWork saying(
    const std::string& word, const std::function<void()>& end = [] {}) {
  return [=](const auto& send) {
    send(message_of(word));
    end();
  };
}

/// What each child of a pool said, and how it ended.
struct Heard {
  std::map<int, std::string> words;
  std::map<int, ChildExit> exits;
};

Heard listen(ChildPool& pool) {
  Heard heard;
  while (!pool.empty()) {
    pool.wait(
        [&](int task, const Message& message) {
          EXPECT_EQ(heard.exits.count(task), 0U) << "a message after the end";
          heard.words[task] += text_of(message);
        },
        [&](int task, const ChildExit& exit) { heard.exits[task] = exit; });
  }
  return heard;
}

TEST(RunInChild, HandsOnMessagesOfAnySize) {
  const std::string large(1 << 20, 'x');
  std::string heard;
  const ChildExit exit = run_in_child(
      [&](const auto& send) {
        send(message_of("a"));
        send(message_of(""));
        send(message_of(large));
      },
      [&](const Message& message) {
        heard += text_of(message) + "|";
        return true;
      },
      [] { return true; }, 60);
  EXPECT_TRUE(exit.clean);
  EXPECT_EQ(heard, "a||" + large + "|");
}

TEST(RunInChild, KeepsTheMessagesOfThreadsWhole) {
  constexpr int kThreads = 4;
  constexpr int kMessages = 50;
  const std::string large(70'000, '-');  // more than a pipe takes at once
  std::map<std::string, int> heard;
  const ChildExit exit = run_in_child(
      [&](const auto& send) {
        std::vector<std::thread> threads;
        for (int t = 0; t < kThreads; ++t) {
          threads.emplace_back([&send, &large, t] {
            const std::string text = large + static_cast<char>('a' + t);
            for (int m = 0; m < kMessages; ++m) send(message_of(text));
          });
        }
        for (std::thread& thread : threads) thread.join();
      },
      [&](const Message& message) {
        ++heard[text_of(message)];
        return true;
      },
      [] { return true; }, 60);
  EXPECT_TRUE(exit.clean) << exit.message;
  ASSERT_EQ(heard.size(), static_cast<std::size_t>(kThreads));
  for (const auto& [text, count] : heard) EXPECT_EQ(count, kMessages);
}

TEST(RunInChild, CallsAMalformedMessageAFailureOfTheChild) {
  const ChildExit exit = run_in_child(
      [](const auto& send) {
        send(message_of("nonsense"));
        ::pause();
      },
      [](const Message&) -> bool { throw MalformedMessage("an unknown kind"); },
      [] { return true; }, 60);
  EXPECT_FALSE(exit.clean);
  EXPECT_FALSE(exit.killed);
  EXPECT_THAT(exit.message, HasSubstr("an unknown kind"));
}

/// Writes the bytes to the child's end of the pipe, which is the descriptor opened last.
void write_raw(const void* bytes, std::size_t size) {
  int last = -1;
  for (int fd = 3; fd < 64; ++fd) {
    struct stat info {};
    if (::fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode)) last = fd;
  }
  ASSERT_EQ(::write(last, bytes, size), static_cast<ssize_t>(size));
}

TEST(RunInChild, CallsHalfAMessageAFailureOfTheChild) {
  const ChildExit exit = run_in_child(
      [](const auto&) {
        const std::uint64_t size = 100;
        write_raw(&size, sizeof size);
      },
      [](const Message&) { return true; }, [] { return true; }, 60);
  EXPECT_FALSE(exit.clean);
  EXPECT_THAT(exit.message, HasSubstr("in the middle of a message"));
}

TEST(RunInChild, CallsAnImpossibleSizeAFailureOfTheChild) {
  const ChildExit exit = run_in_child(
      [](const auto&) {
        const std::uint64_t size = ~std::uint64_t{0};
        write_raw(&size, sizeof size);
        ::pause();
      },
      [](const Message&) { return true; }, [] { return true; }, 60);
  EXPECT_FALSE(exit.clean);
  EXPECT_THAT(exit.message, HasSubstr("is announced"));
}

TEST(RunInChild, KillsAtTheDeadline) {
  const ChildExit exit =
      run_in_child([](const auto&) { ::pause(); }, [](const Message&) { return true; },
                   [] { return true; }, 0.05);
  EXPECT_TRUE(exit.killed);
  EXPECT_FALSE(exit.clean);
}

TEST(RunInChild, SaysWhyWhereNoneCanBeStarted) {
#ifdef POET_SANITIZE
  GTEST_SKIP() << "the sanitizers need descriptors of their own";
#endif
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const ChildExit exit = run_in_child([](const auto&) {}, [](const Message&) { return true; },
                                      [] { return true; }, 60);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(exit.clean);
  EXPECT_FALSE(exit.killed);
  EXPECT_THAT(exit.message, HasSubstr("could not be started"));
}

TEST(RunInChild, GoesBeforeItsParentWhereMemoryRunsOut) {
  if (!std::filesystem::exists("/proc/self/oom_score_adj")) GTEST_SKIP() << "no /proc here";
  std::string score;
  run_in_child(
      [](const auto& send) {
        std::ifstream file("/proc/self/oom_score_adj");
        std::string line;
        std::getline(file, line);
        send(message_of(line));
      },
      [&](const Message& message) {
        score = text_of(message);
        return true;
      },
      [] { return true; }, 60);
  EXPECT_EQ(score, "1000");
}

TEST(ChildPool, LetsTheOthersGoOnWhereOneCrashes) {
  ChildPool pool(3);
  pool.start(7, saying("seven"));
  pool.start(8, saying("eight", [] { ::raise(SIGKILL); }));
  EXPECT_FALSE(pool.full());
  pool.start(9, saying("nine", [] { throw std::runtime_error("no"); }));
  EXPECT_TRUE(pool.full());
  const Heard heard = listen(pool);
  EXPECT_EQ(heard.words, (std::map<int, std::string>{{7, "seven"}, {8, "eight"}, {9, "nine"}}));
  EXPECT_TRUE(heard.exits.at(7).clean);
  EXPECT_THAT(heard.exits.at(8).message, HasSubstr("signal 9"));
  EXPECT_THAT(heard.exits.at(9).message, HasSubstr("exception"));
}

TEST(ChildPool, EndsOnlyTheChildWhoseMessageCannotBeRead) {
  ChildPool pool(2);
  pool.start(1, saying("nonsense", [] { ::pause(); }));
  pool.start(2, saying("sense"));
  std::map<int, ChildExit> exits;
  std::string heard;
  while (!pool.empty()) {
    pool.wait(
        [&](int task, const Message& message) {
          if (task == 1) throw MalformedMessage("an unknown kind");
          heard += text_of(message);
        },
        [&](int task, const ChildExit& exit) { exits[task] = exit; });
  }
  EXPECT_EQ(heard, "sense");
  EXPECT_TRUE(exits.at(2).clean);
  EXPECT_FALSE(exits.at(1).clean);
  EXPECT_THAT(exits.at(1).message, HasSubstr("an unknown kind"));
}

TEST(ChildPool, KillsWhatRunsWhenItGoes) {
  std::string pid;
  {
    ChildPool pool(2);
    pool.start(0, saying("", [] { ::pause(); }));
    pool.start(1, [](const auto& send) {
      send(message_of(std::to_string(::getpid())));
      ::pause();
    });
    while (pid.empty()) {
      pool.wait([&](int, const Message& message) { pid += text_of(message); },
                [](int, const ChildExit&) { FAIL() << "it ended by itself"; });
    }
  }
  EXPECT_EQ(::kill(std::stoi(pid), 0), -1) << "the child still runs";
}

}  // namespace
}  // namespace poet
