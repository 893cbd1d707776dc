// The importer of a build without libonnx, whose file is linked with this test in every build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "import/import.hpp"
#include "poet/error.hpp"

namespace poet::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(WithoutOnnx, NamesThePackagesAndTheCommandThatInstallsThem) {
  EXPECT_FALSE(reads_onnx());
  try {
    import_onnx("", "net.onnx", {});
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_THAT(std::string(error.what()),
                AllOf(StartsWith("net.onnx: "), HasSubstr("libonnx-dev"),
                      HasSubstr("libprotobuf-dev"), HasSubstr("scripts/import")));
  }
}

}  // namespace
}  // namespace poet::test
