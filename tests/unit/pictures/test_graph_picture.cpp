#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pictures/graph_picture.hpp"

namespace poet::plot {
namespace {

using testing::HasSubstr;
using testing::Not;

Graph small_training_graph() {
  return make_graph({{.name = "a", .op = "conv", .bytes = 4},
                     {.name = "b", .op = "relu", .bytes = 4, .inputs = {0}},
                     {.name = "db", .op = "grad", .bytes = 4, .inputs = {0, 1}, .backward = true},
                     {.name = "da", .op = "grad", .bytes = 4, .inputs = {2}, .backward = true},
                     {.name = "x", .op = "grad", .bytes = 4, .inputs = {}, .backward = true}});
}

TEST(Dot, PutsEveryBackwardNodeBesideTheLastForwardNodeThatItComesFrom) {
  const std::string dot = to_dot(small_training_graph(), "net");
  EXPECT_THAT(dot, HasSubstr("\n  {rank=same; n1; n2; n3;}\n"));
  EXPECT_THAT(dot, HasSubstr("\n  n0 -> n1;\n"));
  EXPECT_THAT(dot, HasSubstr("\n  n1 -> n2 [constraint=false];\n"));
  EXPECT_THAT(dot, HasSubstr("\n  n2 -> n3 [constraint=false];\n"));
}

TEST(Dot, TellsThePassesApart) {
  const std::string dot = to_dot(small_training_graph(), "net");
  EXPECT_THAT(dot, HasSubstr("n1 [label=\"1 b\\nrelu 4 B\", class=forward"));
  EXPECT_THAT(dot, HasSubstr("n2 [label=\"2 db\\ngrad 4 B\", class=backward"));
}

TEST(Dot, EscapesWhatGraphvizGivesAMeaning) {
  const Graph graph = make_graph({{.name = "\\N \"q\" &lt;\x01\n", .op = "o"}});
  const std::string dot = to_dot(graph, "a\"b");
  EXPECT_THAT(dot, HasSubstr("digraph \"a\\\"b\" {"));
  EXPECT_THAT(dot, HasSubstr("\"0 \\\\N \\\"q\\\" &amp;lt;\xEF\xBF\xBD \\no 0 B\""));
  EXPECT_THAT(dot, Not(HasSubstr("\x01")));
}

}  // namespace
}  // namespace poet::plot
