#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/arena.hpp"
#include "poet/error.hpp"
#include "support/random_buffers.hpp"

namespace poet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Buffers that begin and end one after the other.
std::vector<Buffer> stairs() {
  return {{.lower = 0, .upper = 2, .bytes = 4}, {.lower = 0, .upper = 3, .bytes = 3},
          {.lower = 2, .upper = 5, .bytes = 2}, {.lower = 3, .upper = 6, .bytes = 5},
          {.lower = 5, .upper = 7, .bytes = 2}, {.lower = 2, .upper = 3, .bytes = 2}};
}

TEST(Place, MeetsThePeakOfBuffersThatFollowEachOther) {
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 1, .bytes = 5},
                                       {.lower = 1, .upper = 2, .bytes = 7}};
  EXPECT_EQ(peak_bytes(buffers), 7);
  const PlacementResult found = place(buffers, {.capacity_bytes = 7});
  EXPECT_EQ(found.status, PlacementStatus::fits);
  EXPECT_THAT(found.placement.offsets, ElementsAre(0, 0));
}

TEST(Place, MeetsThePeakOfStairs) {
  const Arena arena{.capacity_bytes = peak_bytes(stairs())};
  const PlacementResult found = place(stairs(), arena);
  ASSERT_EQ(found.status, PlacementStatus::fits);
  EXPECT_THAT(check_placement(stairs(), arena, found.placement), IsEmpty());
}

TEST(Place, ProvesThatNothingFitsBelowThePeak) {
  const Bytes peak = peak_bytes(stairs());
  EXPECT_EQ(place(stairs(), {.capacity_bytes = peak - 1}).status, PlacementStatus::impossible);
}

TEST(Place, RoundsSizesAndOffsetsToTheAlignment) {
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 2, .bytes = 5},
                                       {.lower = 0, .upper = 2, .bytes = 9}};
  EXPECT_EQ(peak_bytes(buffers, 8), 24);
  const Arena arena{.capacity_bytes = 24, .alignment = 8};
  const PlacementResult found = place(buffers, arena);
  ASSERT_EQ(found.status, PlacementStatus::fits);
  EXPECT_THAT(check_placement(buffers, arena, found.placement), IsEmpty());
  EXPECT_EQ(arena_bytes(buffers, found.placement, 8), 24);
  EXPECT_EQ(place(buffers, {.capacity_bytes = 23, .alignment = 8}).status,
            PlacementStatus::impossible);
}

// Thousands of buffers that live for most of the time: one node looks at all of them everywhere.
TEST(Place, LeavesOutASearchThatCannotReachItsLastBuffer) {
  constexpr int kCount = 5000;
  test::Twister random(5);
  std::vector<Buffer> buffers;
  for (int b = 0; b < kCount; ++b) {
    const int lower = test::draw(random, 0, 2 * kCount);
    buffers.push_back({.lower = lower,
                       .upper = lower + test::draw(random, kCount / 2, kCount),
                       .bytes = test::draw(random, 1, 1000)});
  }
  const PlacementResult found = place(buffers, {.capacity_bytes = peak_bytes(buffers)},
                                      {.search_nodes = usual_search_nodes(buffers.size())});
  EXPECT_EQ(found.status, PlacementStatus::cut_short);
  EXPECT_EQ(found.node_count, 0);
}

TEST(Place, EndsAtTheSameNodeWithoutALimitOfTime) {
  test::Twister random(3);
  const std::vector<Buffer> buffers = test::CutSquare(random).cut(400, 95);
  const Arena arena{.capacity_bytes = test::CutSquare::kSide * test::CutSquare::kUnit};
  constexpr std::int64_t kNodes = 100;  // fewer than buffers
  const PlacementResult first = place(buffers, arena, {.search_nodes = kNodes});
  const PlacementResult second = place(buffers, arena, {.search_nodes = kNodes});
  EXPECT_EQ(first.status, PlacementStatus::cut_short);
  EXPECT_EQ(first.node_count, kNodes);
  EXPECT_EQ(second.status, first.status);
  EXPECT_EQ(second.node_count, first.node_count);
}

TEST(Place, FindsTheSameOffsetsWithoutALimitOfTime) {
  test::Twister random(1);
  const std::vector<Buffer> buffers = test::CutSquare(random).cut(100, 95);
  const Arena arena{.capacity_bytes = test::CutSquare::kSide * test::CutSquare::kUnit};
  const PlacementResult found = place(buffers, arena);
  ASSERT_EQ(found.status, PlacementStatus::fits);
  ASSERT_GT(found.node_count, 0);
  const PlacementResult again = place(buffers, arena, {.search_nodes = found.node_count});
  EXPECT_EQ(again.placement, found.placement);
}

TEST(Place, PutsBuffersOfNoBytesAnywhere) {
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 9, .bytes = 0},
                                       {.lower = 0, .upper = 9, .bytes = 3}};
  const PlacementResult found = place(buffers, {.capacity_bytes = 3});
  EXPECT_EQ(found.status, PlacementStatus::fits);
  EXPECT_THAT(found.placement.offsets, ElementsAre(0, 0));
}

TEST(Place, PlacesNothingInNothing) {
  EXPECT_EQ(place({}, {.capacity_bytes = 0}).status, PlacementStatus::fits);
}

TEST(Place, RefusesWhatIsNoBuffer) {
  const auto refuse = [](const Buffer& buffer, Bytes alignment = 1) {
    EXPECT_THROW(peak_bytes(std::vector<Buffer>{buffer}, alignment), InputError);
  };
  refuse({.lower = 3, .upper = 3, .bytes = 1});
  refuse({.lower = 3, .upper = 2, .bytes = 1});
  refuse({.lower = 0, .upper = 1, .bytes = -1});
  refuse({.lower = 0, .upper = 1, .bytes = kMaxBytes + 1});
  refuse({.lower = 0, .upper = 1, .bytes = 1}, 0);
  const Buffer half{.lower = 0, .upper = 1, .bytes = kMaxBytes / 2};
  EXPECT_EQ(peak_bytes(std::vector<Buffer>{half, half}), kMaxBytes);
  const Buffer more{.lower = 0, .upper = 1, .bytes = kMaxBytes / 2 + 1};
  EXPECT_THROW(peak_bytes(std::vector<Buffer>{half, more}), InputError);
}

TEST(PlaceGreedily, PrefersTheGapThatItIsAskedFor) {
  // Below the last buffer are gaps of 4 bytes at 0, and of 2 bytes at 7.
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 2, .bytes = 4},
                                       {.lower = 0, .upper = 9, .bytes = 3},
                                       {.lower = 0, .upper = 3, .bytes = 2},
                                       {.lower = 0, .upper = 9, .bytes = 1},
                                       {.lower = 3, .upper = 5, .bytes = 2}};
  const auto last = [&](GreedyGap gap) {
    const Placement found = place_greedily(buffers, 1, GreedyOrder::start, gap);
    EXPECT_THAT(check_placement(buffers, {.capacity_bytes = 10}, found), IsEmpty());
    return found.offsets[4];
  };
  EXPECT_EQ(last(GreedyGap::lowest), 0);
  EXPECT_EQ(last(GreedyGap::tightest), 7);
}

TEST(PlaceWithMoves, MovesOnlyWhatIsInTheWay) {
  // The hint leaves 2 bytes below and 2 above the buffer in the middle; the last one needs 4.
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 1, .bytes = 2},
                                       {.lower = 0, .upper = 9, .bytes = 2},
                                       {.lower = 2, .upper = 9, .bytes = 4}};
  const Arena arena{.capacity_bytes = 6};
  const Placement hint{.offsets = {0, 2, 0}, .moves = {}};
  const Placement found = place_with_moves(buffers, arena, hint).value();
  EXPECT_THAT(found.moves, ElementsAre(Move{.time = 2, .buffer = 1, .offset = 0}));
  EXPECT_THAT(found.offsets, ElementsAre(0, 2, 2));
  EXPECT_THAT(check_placement(buffers, arena, found), IsEmpty());
  EXPECT_THROW(place_with_moves(buffers, {.capacity_bytes = 5}, hint), InputError);
}

TEST(PlaceWithMoves, PassesOverBuffersOfNoBytes) {
  // The one of no bytes is at the start of another, which ends at 2; a move must not go below that.
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 9, .bytes = 0},
                                       {.lower = 1, .upper = 9, .bytes = 2},
                                       {.lower = 1, .upper = 2, .bytes = 1},
                                       {.lower = 1, .upper = 9, .bytes = 2},
                                       {.lower = 3, .upper = 9, .bytes = 3}};
  const Arena arena{.capacity_bytes = 7};
  const Placement hint{.offsets = {0, 0, 2, 3, 0}, .moves = {}};
  const Placement found = place_with_moves(buffers, arena, hint).value();
  EXPECT_THAT(check_placement(buffers, arena, found), IsEmpty());
  EXPECT_THAT(found.moves, ElementsAre(Move{.time = 3, .buffer = 3, .offset = 2}));
}

TEST(PlaceWithMoves, GathersWhatIsInFlightBeforeItsTransfer) {
  // The second buffer is written out from 3 to 6, when the last one needs 4 bytes in one piece.
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 4, .bytes = 2},
                                       {.lower = 1, .upper = 9, .bytes = 2},
                                       {.lower = 2, .upper = 4, .bytes = 2},
                                       {.lower = 5, .upper = 9, .bytes = 6}};
  const Arena arena{.capacity_bytes = 8};
  const Placement hint{.offsets = {0, 2, 4, 0}, .moves = {}};
  const std::vector<Flight> flights = {{.lower = 3, .upper = 6, .buffer = 1}};
  const Placement heedless = place_with_moves(buffers, arena, hint).value();
  EXPECT_THAT(check_placement(buffers, arena, heedless, flights),
              ElementsAre("buffer 1 is moved at 5, but is in flight from 3 to 6"));
  const Placement found = place_with_moves(buffers, arena, hint, flights).value();
  EXPECT_THAT(check_placement(buffers, arena, found, flights), IsEmpty());
  ASSERT_FALSE(found.moves.empty());
  for (const Move& move : found.moves) EXPECT_EQ(move.time, 3);
}

TEST(PlaceWithMoves, MayMoveAtBothEndsOfAFlight) {
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 9, .bytes = 4}};
  const std::vector<Flight> flights = {{.lower = 3, .upper = 6, .buffer = 0}};
  const auto findings = [&](std::int64_t time) {
    const Move move{.time = time, .buffer = 0, .offset = 4};
    return check_placement(buffers, {.capacity_bytes = 8}, {.offsets = {0}, .moves = {move}},
                           flights);
  };
  EXPECT_THAT(findings(3), IsEmpty());
  EXPECT_THAT(findings(4), SizeIs(1));
  EXPECT_THAT(findings(5), SizeIs(1));
  EXPECT_THAT(findings(6), IsEmpty());
}

TEST(PlaceWithMoves, GivesUpIfFullMemoryIsInTheWrongOrder) {
  // All is in use when the flights begin, so that nothing can change places. Whatever the order, of
  // the three in the middle only two have a neighbour of those that are freed with them.
  std::vector<Buffer> buffers;
  const auto add = [&](int lower, int upper, Bytes bytes) {
    buffers.push_back({.lower = lower, .upper = upper, .bytes = bytes});
  };
  for (const int upper : {10, 20, 30}) add(0, upper, 24);   // beside the three
  add(0, 5, 48);                                            // what becomes the three
  for (const int upper : {10, 20, 30}) add(5, upper, 16);   // the three
  for (const int lower : {10, 20, 30}) add(lower, 40, 40);  // as large as two of them
  std::vector<Flight> flights;
  const auto fly = [&](int lower, int upper, const std::vector<int>& which) {
    for (const int b : which) flights.push_back({.lower = lower, .upper = upper, .buffer = b});
  };
  fly(4, 6, {0, 1, 2});
  fly(9, 12, {1, 2, 5, 6});
  fly(19, 22, {2, 6, 7});
  fly(29, 32, {7, 8});
  const Arena arena{.capacity_bytes = 120};
  const Placement hint = best_greedy_placement(buffers, 1);
  EXPECT_TRUE(place_with_moves(buffers, arena, hint));
  EXPECT_FALSE(place_with_moves(buffers, arena, hint, flights));
}

TEST(CheckPlacement, FindsWhatIsWrong) {
  const std::vector<Buffer> buffers = {{.lower = 0, .upper = 4, .bytes = 4},
                                       {.lower = 3, .upper = 6, .bytes = 4}};
  const auto findings = [&](const std::vector<Bytes>& offsets, const std::vector<Move>& moves = {},
                            Bytes alignment = 1) {
    return check_placement(buffers, {.capacity_bytes = 8, .alignment = alignment},
                           {.offsets = offsets, .moves = moves});
  };
  EXPECT_THAT(findings({0, 4}), IsEmpty());
  EXPECT_THAT(findings({0, 3}), ElementsAre(HasSubstr("buffers 0 and 1 overlap")));
  EXPECT_THAT(findings({0, 5}), ElementsAre(HasSubstr("the capacity is 8")));
  EXPECT_THAT(findings({-4, 4}), ElementsAre(HasSubstr("the capacity is 8")));
  EXPECT_THAT(findings({0, 4}, {}, 8), ElementsAre(HasSubstr("not a multiple of 8")));
  EXPECT_THAT(findings({0}), ElementsAre(HasSubstr("1 offsets for 2 buffers")));
  EXPECT_THAT(findings({0, 4}, {{.time = 5, .buffer = 1, .offset = 0}}), IsEmpty());
  EXPECT_THAT(findings({0, 4}, {{.time = 4, .buffer = 1, .offset = 0}}), IsEmpty());
  EXPECT_THAT(findings({0, 4}, {{.time = 3, .buffer = 0, .offset = 4}}),
              ElementsAre(HasSubstr("buffers 0 and 1 overlap")));
  EXPECT_THAT(findings({4, 0}, {{.time = 5, .buffer = 0, .offset = 0}}),
              ElementsAre(HasSubstr("is not in use")));
  EXPECT_THAT(findings({0, 4}, {{.time = 5, .buffer = 1, .offset = 0},
                                {.time = 2, .buffer = 0, .offset = 1}}),
              ElementsAre(HasSubstr("comes after")));
}

}  // namespace
}  // namespace poet
