// The importer of a build without libonnx, whose file is linked with this test in every build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/import.hpp"
#include "poet/error.hpp"

namespace poet::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

TEST(WithoutOnnx, NamesThePackagesAndTheCommandThatInstallsThem) {
  const auto names_them =
      ThrowsMessage<InputError>(AllOf(StartsWith("net.onnx: "), HasSubstr("libonnx-dev"),
                                      HasSubstr("libprotobuf-dev"), HasSubstr("scripts/solve")));
  EXPECT_THAT([] { require_onnx("net.onnx"); }, names_them);
  EXPECT_THAT([] { static_cast<void>(import_onnx("", "net.onnx", {})); }, names_them);
}

}  // namespace
}  // namespace poet::test
