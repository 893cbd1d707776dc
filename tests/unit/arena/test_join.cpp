#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arena/join.hpp"

namespace poet {
namespace {

using testing::ElementsAre;

constexpr Arena kTen{.capacity_bytes = 10};

TEST(JoinBuffers, JoinsWhatTakesThePlaceOfAnother) {
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 2, .bytes = 4},
                                       {.lower = 0, .upper = 9, .bytes = 6},
                                       {.lower = 2, .upper = 9, .bytes = 4}};
  const JoinedBuffers found = join_buffers(buffers, kTen);
  EXPECT_THAT(found.buffers, ElementsAre(Buffer{.lower = 0, .upper = 9, .bytes = 4},
                                         Buffer{.lower = 0, .upper = 9, .bytes = 6}));
  EXPECT_EQ(found.parts[2].buffer, found.parts[0].buffer);
  EXPECT_EQ(found.parts[2].shift, 0);
}

TEST(JoinBuffers, LeavesWhatMayLieElsewhere) {
  // A byte is free before time 2 in the first case; two buffers end and two start in the second.
  EXPECT_EQ(join_buffers(std::vector<Buffer>{{.lower = 0, .upper = 2, .bytes = 3},
                                             {.lower = 0, .upper = 9, .bytes = 6},
                                             {.lower = 2, .upper = 9, .bytes = 4}},
                         kTen)
                .buffers.size(),
            3);
  EXPECT_EQ(join_buffers(std::vector<Buffer>{{.lower = 0, .upper = 2, .bytes = 4},
                                             {.lower = 0, .upper = 2, .bytes = 6},
                                             {.lower = 2, .upper = 9, .bytes = 7},
                                             {.lower = 2, .upper = 9, .bytes = 3}},
                         kTen)
                .buffers.size(),
            4);
}

TEST(JoinBuffers, StacksThoseThatTakeOnePlace) {
  // Two buffers take the place of the first, and another takes theirs.
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 2, .bytes = 7},
                                       {.lower = 0, .upper = 9, .bytes = 3},
                                       {.lower = 2, .upper = 4, .bytes = 5},
                                       {.lower = 2, .upper = 4, .bytes = 2},
                                       {.lower = 4, .upper = 9, .bytes = 7}};
  const JoinedBuffers found = join_buffers(buffers, kTen);
  EXPECT_THAT(found.buffers, ElementsAre(Buffer{.lower = 0, .upper = 9, .bytes = 7},
                                         Buffer{.lower = 0, .upper = 9, .bytes = 3}));
  EXPECT_EQ(found.parts[2].shift, 0);
  EXPECT_EQ(found.parts[3].shift, 5);
  EXPECT_EQ(found.parts[4].buffer, found.parts[0].buffer);
}

TEST(JoinBuffers, LeavesTwoThatEndApart) {
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 2, .bytes = 10},
                                       {.lower = 2, .upper = 4, .bytes = 5},
                                       {.lower = 2, .upper = 9, .bytes = 5},
                                       {.lower = 4, .upper = 9, .bytes = 3}};
  EXPECT_EQ(join_buffers(buffers, kTen).buffers.size(), 4);
}

TEST(JoinBuffers, RoundsToTheAlignment) {
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 2, .bytes = 7},
                                       {.lower = 2, .upper = 9, .bytes = 8}};
  const JoinedBuffers found = join_buffers(buffers, {.capacity_bytes = 8, .alignment = 4});
  EXPECT_THAT(found.buffers, ElementsAre(Buffer{.lower = 0, .upper = 9, .bytes = 8}));
}

}  // namespace
}  // namespace poet
