// NumPy's own files, and files that only look like them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrays/read_arrays.hpp"
#include "expect_input_error.hpp"
#include "support/contents_of.hpp"
#include "support/npy.hpp"
#include "support/temporary_folder.hpp"

namespace poet::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kMost = std::size_t{1} << 20;
const std::string kFolder = POET_TEST_DATA "/arrays/";
/// 1.0 and -2.5 as float32.
constexpr std::string_view kFloats{"\0\0\x80\x3f\0\0\x20\xc0", 8};

std::string error_of(std::string_view header, std::string_view numbers) {
  return input_error([&] { parse_npy(npy_text(header, numbers), "a.npy"); });
}

TEST(NpyFiles, HoldNumbersOfFourTypes) {
  const auto values = [](const char* type, std::string_view numbers) {
    return parse_npy(npy_text(npy_header(type, "(2,)"), numbers), "a.npy");
  };
  EXPECT_THAT(values("<f4", kFloats).values, ElementsAre(1, -2.5));
  EXPECT_THAT(values("<f8", {"\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\x04\xc0", 16}).values,
              ElementsAre(1, -2.5));
  EXPECT_THAT(values("<i4", {"\1\0\0\0\xff\xff\xff\xff", 8}).values, ElementsAre(1, -1));
  const NumberArray longs = values("<i8", {"\2\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16});
  EXPECT_THAT(longs.values, ElementsAre(2, -1));
  EXPECT_TRUE(longs.is_integer);
  EXPECT_FALSE(values("<f4", kFloats).is_integer);
}

TEST(NpyFiles, HaveShapes) {
  const auto shape = [](std::string_view text, std::string_view numbers) {
    return parse_npy(npy_text(npy_header("<f4", text), numbers), "a.npy").shape;
  };
  EXPECT_THAT(shape("(2, 1)", kFloats), ElementsAre(2, 1));
  EXPECT_THAT(shape("()", kFloats.substr(4)), ElementsAre());
  EXPECT_THAT(shape("(3, 0)", ""), ElementsAre(3, 0));
}

TEST(NpyFiles, AreReadWhateverTheOrderOfTheKeys) {
  const std::string header = R"({"shape":(2,),"fortran_order":False,"descr":"<f4"})";
  EXPECT_THAT(parse_npy(npy_text(header, kFloats), "a.npy").values, ElementsAre(1, -2.5));
}

TEST(NpyFiles, AreRefusedWithWhatWasFoundAndExpected) {
  EXPECT_THAT(error_of(npy_header(">f4", "(2,)"), kFloats),
              AllOf(HasSubstr("a.npy: found elements of the type '>f4'"), HasSubstr("'<f4'")));
  EXPECT_THAT(
      error_of(npy_header("<f4", "(3,)"), kFloats),
      HasSubstr("found 8 bytes of numbers; expected more, those of the header's shape (3)"));
  EXPECT_THAT(error_of(npy_header("<f4", "(1,)"), kFloats), HasSubstr("found 8 bytes"));
  EXPECT_THAT(error_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", kFloats),
              HasSubstr("records are not supported"));
  EXPECT_THAT(error_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2,)}", kFloats),
              HasSubstr("found Fortran order; expected C order"));
  EXPECT_THAT(error_of("{'descr': '<f4', 'fortran_order': False}", kFloats),
              HasSubstr("the header lacks one of"));
  EXPECT_THAT(error_of("{'descr': '<f4', 'descr': '<f4'}", kFloats), HasSubstr("each once"));
  EXPECT_THAT(error_of(npy_header("<f4", "(-2,)"), kFloats),
              HasSubstr("expected an extent from 0"));
  EXPECT_THAT(error_of(npy_header("<f4", "(2,)") + "x", kFloats),
              HasSubstr("expected the end of the header"));
  EXPECT_THAT(input_error([] { parse_npy("\x93NUMPY\x09.........", "a.npy"); }),
              HasSubstr("found version 9 of .npy; expected 1 to 3"));
  EXPECT_THAT(input_error([] { parse_npy("PK", "a.npy"); }), HasSubstr("does not begin as a .npy"));
}

// Products that overflow 64 bits, a header that is longer than its file.
TEST(NpyFiles, CannotClaimMoreThanTheyHold) {
  EXPECT_THAT(error_of(npy_header("<f4", "(4294967296, 4294967296, 2)"), kFloats),
              HasSubstr("found 8 bytes of numbers; expected more"));
  EXPECT_THAT(error_of(npy_header("<f4", "(4611686018427387904, 4)"), ""),
              HasSubstr("found 0 bytes of numbers; expected more"));
  EXPECT_THAT(error_of(npy_header("<f4", "(99999999999999999999,)"), kFloats),
              HasSubstr("expected an extent from 0"));
  std::string text = npy_text(npy_header("<f4", "(2,)"), "");
  text[9] = '\x7f';
  EXPECT_THAT(input_error([&] { parse_npy(text, "a.npy"); }), HasSubstr("the header has "));
  std::string extents = "(";
  for (int i = 0; i < 40; ++i) extents += "1, ";
  EXPECT_THAT(error_of(npy_header("<f4", extents + ")"), kFloats), HasSubstr("at most 32 extents"));
}

TEST(NpzFiles, OfNumpyAreReadStoredAndDeflated) {
  for (const char* const name : {"stored.npz", "deflated.npz"}) {
    const auto arrays = parse_npz(contents_of(kFolder + name), name, kMost);
    ASSERT_EQ(arrays.size(), 8U) << name;
    EXPECT_EQ(arrays[0].name, "conv.weight");
    EXPECT_THAT(arrays[0].array.shape, ElementsAre(3, 2, 3));
    EXPECT_DOUBLE_EQ(arrays[0].array.values[0], 0.345584192064786);
    EXPECT_EQ(arrays[6].name, "norm.num_batches_tracked");
    EXPECT_THAT(arrays[6].array.values, ElementsAre(7));
  }
}

TEST(NpzFiles, AreRefusedIfTheyAreDamaged) {
  const std::string text = contents_of(kFolder + "deflated.npz");
  EXPECT_THAT(input_error([] { parse_npz("no archive", "a.npz", kMost); }),
              HasSubstr("a.npz: is not a ZIP file"));
  EXPECT_THAT(input_error([&] { parse_npz(text.substr(0, text.size() / 2), "a.npz", kMost); }),
              HasSubstr("is not a ZIP file"));
  std::string changed = text;
  changed[100] = static_cast<char>(changed[100] ^ 0x55);
  EXPECT_THAT(input_error([&] { parse_npz(changed, "a.npz", kMost); }),
              AllOf(HasSubstr("a.npz: 'conv.weight.npy'"), HasSubstr("is damaged")));
  EXPECT_THAT(input_error([&] { parse_npz(text, "a.npz", 100); }),
              HasSubstr("expected at most 100 in all"));
}

TEST(ArrayFiles, AreNpyOrNumbersAlone) {
  const TemporaryFolder folder;
  const std::string raw = folder.write("x.bin", kFloats);
  EXPECT_THAT(read_array(raw, false, kMost).values, ElementsAre(1, -2.5));
  EXPECT_FALSE(read_array(raw, false, kMost).has_shape);
  EXPECT_THAT(
      read_array(folder.write("i.bin", std::string_view("\7\0\0\0", 4)), true, kMost).values,
      ElementsAre(7));
  EXPECT_THAT(read_array(kFolder + "target.npy", true, kMost).values, ElementsAre(1, 3));
  EXPECT_THAT(input_error([&] { read_array(folder.write("o.bin", "12345"), false, kMost); }),
              HasSubstr("found 5 bytes; expected a .npy file"));
  EXPECT_THAT(input_error([&] { read_array(folder.write("no.npy", "1234"), false, kMost); }),
              HasSubstr("does not begin as a .npy"));
}

}  // namespace
}  // namespace poet::test
