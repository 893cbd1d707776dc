#include "problem/cut_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace poet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CutNodes, AreWhereNoEdgeLeadsPast) {
  const Graph graph = make_graph({{},
                                  {.inputs = {0}},
                                  {.inputs = {1}},
                                  {.inputs = {2}},
                                  {.inputs = {2, 3}},
                                  {.inputs = {4}},
                                  {.inputs = {1, 5}, .backward = true}});
  EXPECT_THAT(cut_nodes(graph), ElementsAre(1, 2, 4, 5));
}

TEST(CutNodes, DataIsReadAcrossThem) {
  const Graph graph =
      make_graph({{}, {.inputs = {0}}, {.inputs = {0}}, {.inputs = {1}}, {.inputs = {2, 3}}});
  EXPECT_THAT(cut_nodes(graph), ElementsAre(1, 4));
  EXPECT_THAT(cut_nodes(make_graph({{}, {}})), IsEmpty());
}

}  // namespace
}  // namespace poet
