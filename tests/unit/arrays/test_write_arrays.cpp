// Files for NumPy, as its own reader and ours find them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "arrays/read_arrays.hpp"
#include "arrays/write_arrays.hpp"
#include "poet/error.hpp"
#include "support/contents_of.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

ArrayToWrite floats_of(const std::string& name, std::vector<std::int64_t> shape,
                       std::vector<float> values) {
  return {.name = name, .shape = std::move(shape), .values = std::move(values)};
}

TEST(WrittenArrays, HaveTheBytesThatNumpyWrites) {
  // numpy.save(file, numpy.array([[1, -2.5]], dtype=numpy.float32)) of NumPy 1.24.
  std::string expected = "\x93NUMPY\x01";
  expected += '\0';
  expected += 'v';
  expected += '\0';
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  expected.resize(127, ' ');
  expected += '\n';
  expected += std::string("\0\0\x80\x3f\0\0\x20\xc0", 8);
  EXPECT_EQ(npy_bytes(floats_of("a", {1, 2}, {1, -2.5F})), expected);
}

TEST(WrittenArrays, AreReadAgainWithTheirShapes) {
  const std::vector<ArrayToWrite> arrays{
      floats_of("conv.weight", {2, 1, 2}, {1, 2, 3, 4}),
      floats_of("empty", {0, 3}, {}),
      floats_of("names/may have, blanks \xc3\xa4", {1}, {0.1F}),
      {.name = "count", .shape = {}, .values = std::vector<std::int64_t>{-7}}};
  const std::vector<NamedArray> read = parse_npz(npz_bytes(arrays), "a.npz", kMostBytes);
  ASSERT_EQ(read.size(), arrays.size());
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i].name, arrays[i].name);
  EXPECT_THAT(read[0].array.shape, ElementsAre(2, 1, 2));
  EXPECT_THAT(read[0].array.values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read[1].array.shape, ElementsAre(0, 3));
  EXPECT_EQ(read[2].array.values.at(0), double{0.1F});
  EXPECT_THAT(read[3].array.shape, IsEmpty());
  EXPECT_THAT(read[3].array.values, ElementsAre(-7));
  EXPECT_TRUE(read[3].array.is_integer);
}

TEST(WrittenArrays, KeepEveryBit) {
  const float smallest = std::numeric_limits<float>::denorm_min();
  const std::vector<float> values{-0.0F, smallest, std::numeric_limits<float>::max(),
                                  -std::numeric_limits<float>::infinity()};
  const std::vector<NamedArray> read =
      parse_npz(npz_bytes(std::vector{floats_of("a", {4}, values)}), "a.npz", kMostBytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(read[0].array.values[i])),
              std::bit_cast<std::uint32_t>(values[i]));
  }
}

// A digest of parameters says whether two runs came to the same.
TEST(WrittenArrays, GiveTheSameFileAtAnyTime) {
  const std::vector<ArrayToWrite> arrays{floats_of("a", {1}, {1}), floats_of("b", {1}, {2})};
  const std::string bytes = npz_bytes(arrays);
  EXPECT_EQ(bytes, npz_bytes(arrays));
  EXPECT_THAT(bytes, HasSubstr(npy_bytes(arrays[1]))) << "members are stored as they are";
}

TEST(WrittenArrays, HaveNamesOfTheirOwn) {
  const std::vector<ArrayToWrite> twice{floats_of("a", {1}, {1}), floats_of("a", {1}, {2})};
  EXPECT_THROW(npz_bytes(twice), InternalError);
}

TEST(WrittenArrays, MayBeNone) {
  const std::string bytes = npz_bytes({});
  EXPECT_THAT(bytes, HasSubstr("PK"));
  EXPECT_THAT(parse_npz(bytes, "a.npz", kMostBytes), IsEmpty());
}

}  // namespace
}  // namespace poet::test
