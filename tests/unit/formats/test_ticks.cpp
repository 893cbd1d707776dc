#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_input_error.hpp"
#include "formats/read_ticks.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string error_of(const std::string& text) {
  return input_error([&] { parse_ticks(text, "t.csv", 3); });
}

TEST(Ticks, AreReadByInstruction) {
  const auto ticks = parse_ticks("instruction,ticks\n0,10\n2,2.5\n\n0,12\r\n", "t.csv", 3);
  EXPECT_THAT(ticks, ElementsAre(ElementsAre(10, 12), IsEmpty(), ElementsAre(2.5)));
}

TEST(Ticks, MayHaveOtherColumnsInAnyOrder) {
  EXPECT_THAT(parse_ticks("ticks, name, instruction\n7, conv, 1", "t.csv", 2),
              ElementsAre(IsEmpty(), ElementsAre(7)));
}

TEST(Ticks, AreRefusedWithTheLine) {
  EXPECT_THAT(error_of("instruction,cycles\n0,1\n"), HasSubstr("t.csv:1: found no column 'ticks'"));
  EXPECT_THAT(error_of("instruction,ticks\n0,1\n3,1\n"),
              HasSubstr("t.csv:3: found the instruction '3'; expected a whole number from 0 to 2"));
  EXPECT_THAT(error_of("instruction,ticks\n-1,1\n"), HasSubstr("found the instruction '-1'"));
  EXPECT_THAT(error_of("instruction,ticks\n0,-5\n"),
              HasSubstr("t.csv:2: found the ticks '-5'; expected a number from 0"));
  EXPECT_THAT(error_of("instruction,ticks\n0,nan\n"), HasSubstr("found the ticks 'nan'"));
  EXPECT_THAT(error_of("instruction,ticks\n0,1,2\n"), HasSubstr("found 3 columns; expected 2"));
  EXPECT_THAT(error_of("instruction,ticks\n"), HasSubstr("found no line with ticks"));
  EXPECT_THAT(error_of(""), HasSubstr("t.csv:1: found no column 'instruction'"));
}

}  // namespace
}  // namespace poet::test
