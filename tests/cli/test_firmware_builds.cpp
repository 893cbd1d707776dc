// What an export brings for the builds that firmware has: built by CMake as a target, and as Zephyr
// and ESP-IDF would, by stubs of their functions; and the keys that PlatformIO, Arduino and the
// others require.
#include <filesystem>
#include <regex>
#include <set>

#include "cli/exported_files.hpp"

namespace poet::test {
namespace {

using testing::IsSupersetOf;

class FirmwareBuilds : public Export {
 protected:
  void SetUp() override {
    ASSERT_EQ(exported(solved("linear", "100%"), {"--model", "linear"}).status, 0);
    folder_.write("main.c", R"(#include "poet_plan.h"
static float parameters[POET_PARAMETER_COUNT];
int main(void) {
  struct poet_memory m = {.parameters = parameters};
  return poet_initialise(&poet_plan, &m, 1);
})");
  }

  /// The status of a program that a CMake project makes of main.c and the export.
  void expect_built(const std::string& project) const {
    folder_.write("CMakeLists.txt",
                  "cmake_minimum_required(VERSION 3.16)\nproject(firmware C)\n" + project);
    const std::string build = folder_.file("build");
    const Finished configured =
        compile(POET_CMAKE, {"-S", folder_.path(), "-B", build, "-DCMAKE_C_COMPILER=" POET_CC});
    ASSERT_EQ(configured.status, 0) << configured.out << configured.err;
    EXPECT_EQ(configured.err, "");
    const Finished built = compile(POET_CMAKE, {"--build", build});
    ASSERT_EQ(built.status, 0) << built.out << built.err;
    EXPECT_EQ(run_step(build + "/app", {}).status, 0);
  }

  std::set<std::string> keys_of(const std::string& name, const char* pattern) const {
    const std::string text = file_of(name);
    const std::regex key(pattern);
    std::set<std::string> keys;
    for (std::sregex_iterator at(text.begin(), text.end(), key); at != std::sregex_iterator(); ++at)
      keys.insert((*at)[1]);
    return keys;
  }
};

TEST_F(FirmwareBuilds, AreACMakeTarget) {
  expect_built(
      "add_subdirectory(plan)\nadd_executable(app main.c)\ntarget_link_libraries(app PRIVATE "
      "poet_step)\n");
}

TEST_F(FirmwareBuilds, AreAModuleOfZephyr) {
  // What Zephyr's functions come to; it adds the folder that zephyr/module.yml names.
  expect_built(R"(function(zephyr_library)
  add_library(module STATIC)
endfunction()
function(zephyr_library_sources)
  target_sources(module PRIVATE ${ARGN})
endfunction()
function(zephyr_library_compile_options)
  target_compile_options(module PRIVATE ${ARGN})
endfunction()
function(zephyr_include_directories)
  target_include_directories(module PUBLIC ${ARGN})
endfunction()
add_subdirectory(plan)
add_executable(app main.c)
target_link_libraries(app PRIVATE module)
)");
  EXPECT_THAT(file_of("zephyr/module.yml"),
              HasSubstr("build:\n  cmake: .\n  kconfig: zephyr/Kconfig\n"));
  EXPECT_THAT(file_of("zephyr/Kconfig"), HasSubstr("select FPU if CPU_HAS_FPU\n"));
}

TEST_F(FirmwareBuilds, AreAComponentOfEspIdf) {
  expect_built(R"(set(ESP_PLATFORM 1)
set(COMPONENT_LIB component)
function(idf_component_register)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SRCS;INCLUDE_DIRS")
  list(TRANSFORM arg_SRCS PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
  add_library(component STATIC ${arg_SRCS})
  target_include_directories(component PUBLIC ${CMAKE_CURRENT_LIST_DIR})
endfunction()
add_subdirectory(plan)
add_executable(app main.c)
target_link_libraries(app PRIVATE component)
)");
  EXPECT_THAT(keys_of("idf_component.yml", "(?:^|\n)([a-z]+):"),
              IsSupersetOf({"version", "license", "url"}));
}

TEST_F(FirmwareBuilds, HaveTheKeysThatPlatformIoAndArduinoRequire) {
  const json platformio = json::parse(file_of("library.json"));
  for (const char* key : {"name", "version", "license", "homepage"})
    EXPECT_FALSE(platformio.at(key).get<std::string>().empty()) << key;
  EXPECT_THAT(platformio.at("build").at("flags").dump(), HasSubstr("-ffp-contract=off"));
  EXPECT_THAT(keys_of("library.properties", "(?:^|\n)([a-z]+)=[^\n]"),
              IsSupersetOf({"name", "version", "author", "maintainer", "sentence", "paragraph",
                            "category", "url", "architectures"}));
}

// A folder in the export is replaced as its files are, and what a user has put there is not
// overwritten unasked.
TEST_F(FirmwareBuilds, AreReplacedByAnotherExport) {
  EXPECT_EQ(exported(schedule_, {"--model", "linear"}).status, 0);
  std::filesystem::copy_file(plan_ + "/zephyr/module.yml", plan_ + "/zephyr/mine.yml");
  const Finished refused = exported(schedule_, {"--model", "linear"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("zephyr/mine.yml"));
  EXPECT_EQ(exported(schedule_, {"--model", "linear", "--force"}).status, 0);
  EXPECT_TRUE(std::filesystem::exists(plan_ + "/zephyr/mine.yml"));
}

}  // namespace
}  // namespace poet::test
