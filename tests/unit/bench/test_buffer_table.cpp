// The tables of buffers of MiniMalloc's benchmarks.
#include "bench/buffer_table.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/error.hpp"

namespace poet::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(BufferTable, HasItsColumnsInAnyOrder) {
  const BufferTable table = parse_buffers("size,id,upper,lower\r\n4,a,2,0\r\n", "t.csv");
  EXPECT_THAT(table.ids, ElementsAre("a"));
  const std::array<Bytes, 1> offsets{8};
  EXPECT_EQ(write_buffers(table, offsets), "id,lower,upper,size,offset\na,0,2,4,8\n");
}

TEST(BufferTable, IsReadAsItIsWritten) {
  const BufferTable table =
      parse_buffers("id,lower,upper,size\na,0,2,4\nb,0,3,3\nc,2,5,4\n", "t.csv");
  const std::array<Bytes, 3> offsets{0, 4, 0};
  const BufferTable again = parse_buffers(write_buffers(table, offsets), "again");
  EXPECT_EQ(again.ids, table.ids);
  EXPECT_EQ(again.buffers, table.buffers);
}

TEST(BufferTable, NamesTheLineAndWhatIsWrong) {
  const auto refuse = [](const std::string& rows, const std::string& message) {
    EXPECT_THAT([&] { parse_buffers("id,lower,upper,size\n" + rows, "t.csv"); },
                ThrowsMessage<InputError>(HasSubstr(message)));
  };
  refuse("a,0,1,4\nb,0,1\n", "t.csv:3: found 3 columns; expected 4");
  refuse("a,0,x,4\n", "t.csv:2: found 'x'; expected a whole number");
  refuse("a,1,1,4\n", "found upper 1; expected more than lower, 1");
  refuse("a,0,1,-4\n", "found '-4'");
  EXPECT_THAT([] { parse_buffers("buffer,start,end,size\n0,1,2,3\n", "t.csv"); },
              ThrowsMessage<InputError>(
                  HasSubstr("1: found no column 'id'; expected id, lower, upper (exclusive)")));
}

}  // namespace
}  // namespace poet::bench
