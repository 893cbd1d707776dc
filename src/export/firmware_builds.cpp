// Pieces for the builds that firmware has, and no project of its own. All say the same: which
// files, where their headers are, and the flags that results depend on. Arduino knows no flags;
// poet_math.h sees to it there.

#include <fmt/format.h>

#include "export/c_sources.hpp"

namespace poet {
namespace {

/// Of the method, unless whoever built this program says where its sources are.
std::string_view home() {
  return generator_repository().empty() ? "https://arxiv.org/abs/2207.07697"
                                        : generator_repository();
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(separator)) + word;
  return text;
}

std::string make_snippet(const std::vector<std::string>& sources) {
  return fmt::format(
      "# For a Makefile: include this file, compile POET_SOURCES with POET_CFLAGS, and link with\n"
      "# POET_LDFLAGS, so that kernels that the plan does not call are left out.\n"
      "ifndef POET_DIR\n"
      "POET_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))\n"
      "endif\n"
      "POET_SOURCES := $(addprefix $(POET_DIR)/,{})\n"
      "# Without -ffp-contract=off results depend on the compiler. -ffast-math is an error. -O2 "
      "takes\n"
      "# the fewest cycles: -Os has fewer instructions in places, by VMLA, of 3 cycles on a "
      "Cortex-M4.\n"
      "POET_CFLAGS := -I$(POET_DIR) -O2 -ffp-contract=off -ffunction-sections -fdata-sections\n"
      "POET_LDFLAGS := -Wl,--gc-sections\n",
      joined(sources, " "));
}

// One file for all builds that are CMake inside: ESP-IDF defines IDF_TARGET in the first pass of a
// component already, and Zephyr the function of its libraries.
std::string cmake_lists(const std::vector<std::string>& sources) {
  return fmt::format(
      "# add_subdirectory() of this folder gives the target poet_step, to be linked by a program. "
      "As a component of ESP-IDF it is\n"
      "# called as its folder is, and as a module of Zephyr it is a library of Zephyr.\n"
      "set(poet_sources {0})\n"
      "# Without -ffp-contract=off results depend on the compiler.\n"
      "set(poet_flags -O2 -ffp-contract=off -ffunction-sections -fdata-sections)\n"
      "if(ESP_PLATFORM)\n"
      "  idf_component_register(SRCS ${{poet_sources}} INCLUDE_DIRS \".\")\n"
      "  target_compile_options(${{COMPONENT_LIB}} PRIVATE ${{poet_flags}})\n"
      "elseif(COMMAND zephyr_library)\n"
      "  list(TRANSFORM poet_sources PREPEND \"${{CMAKE_CURRENT_LIST_DIR}}/\")\n"
      "  zephyr_library()\n"
      "  zephyr_library_sources(${{poet_sources}})\n"
      "  zephyr_library_compile_options(${{poet_flags}})\n"
      "  zephyr_include_directories(\"${{CMAKE_CURRENT_LIST_DIR}}\")\n"
      "else()\n"
      "  cmake_minimum_required(VERSION 3.16)\n"
      "  if(NOT PROJECT_NAME)\n"
      "    project(poet_step LANGUAGES C)\n"
      "  endif()\n"
      "  list(TRANSFORM poet_sources PREPEND \"${{CMAKE_CURRENT_LIST_DIR}}/\")\n"
      "  add_library(poet_step STATIC ${{poet_sources}})\n"
      "  target_include_directories(poet_step PUBLIC \"${{CMAKE_CURRENT_LIST_DIR}}\")\n"
      "  target_compile_options(poet_step PRIVATE ${{poet_flags}})\n"
      "endif()\n",
      joined(sources, "\n  "));
}

// https://docs.platformio.org/en/latest/manifests/library-json/
std::string platformio_manifest() {
  const std::string repository =
      generator_repository().empty()
          ? ""
          : fmt::format("  \"repository\": {{\"type\": \"git\", \"url\": \"{}\"}},\n", home());
  return fmt::format(
      "{{\n"
      "  \"name\": \"poet_step\",\n"
      "  \"version\": \"{0}\",\n"
      "  \"description\": \"A training step that poet-solve exported\",\n"
      "  \"keywords\": \"neural network, training, on-device learning\",\n"
      "  \"license\": \"Apache-2.0\",\n"
      "  \"homepage\": \"{1}\",\n{2}"
      "  \"authors\": [{{\"name\": \"The poet-solve authors\"}}],\n"
      "  \"frameworks\": \"*\",\n"
      "  \"platforms\": \"*\",\n"
      "  \"headers\": \"poet_plan.h\",\n"
      "  \"build\": {{\n"
      "    \"srcDir\": \".\",\n"
      "    \"includeDir\": \".\",\n"
      "    \"srcFilter\": [\"+<poet_*.c>\"],\n"
      "    \"flags\": [\"-O2\", \"-ffp-contract=off\", \"-ffunction-sections\", "
      "\"-fdata-sections\"]\n"
      "  }}\n"
      "}}\n",
      generator_version(), home(), repository);
}

// https://arduino.github.io/arduino-cli/latest/library-specification/: without a folder `src`, the
// sources are beside this file.
std::string arduino_manifest() {
  return fmt::format(
      "name=poet_step\n"
      "version={}\n"
      "author=poet-solve\n"
      "maintainer=poet-solve\n"
      "sentence=A training step that poet-solve exported.\n"
      "paragraph=poet_plan.h has the sizes of what it needs, and poet_runtime.h the functions.\n"
      "category=Data Processing\n"
      "url={}\n"
      "architectures=*\n"
      "includes=poet_plan.h\n"
      "license=Apache-2.0\n",
      generator_version(), home());
}

// https://docs.espressif.com/projects/idf-component-manager/en/latest/reference/manifest_file.html
std::string esp_manifest() {
  return fmt::format(
      "version: \"{}\"\n"
      "description: A training step that poet-solve exported\n"
      "license: Apache-2.0\n"
      "url: {}\n{}",
      generator_version(), home(),
      generator_repository().empty() ? "" : fmt::format("repository: {}\n", home()));
}

// https://docs.zephyrproject.org/latest/develop/modules.html
std::string zephyr_module() {
  return "name: poet_step\n"
         "build:\n"
         "  cmake: .\n"
         "  kconfig: zephyr/Kconfig\n";
}

// Without CONFIG_FPU=y, Zephyr compiles float32 for a processor without an FPU.
std::string zephyr_options() {
  return "config POET_STEP\n"
         "\tbool \"A training step that poet-solve exported\"\n"
         "\tdefault y\n"
         "\tselect FPU if CPU_HAS_FPU\n";
}

}  // namespace

FolderFiles firmware_builds(const std::vector<std::string>& sources) {
  return {{"poet.mk", make_snippet(sources)},      {"CMakeLists.txt", cmake_lists(sources)},
          {"library.json", platformio_manifest()}, {"library.properties", arduino_manifest()},
          {"idf_component.yml", esp_manifest()},   {"zephyr/module.yml", zephyr_module()},
          {"zephyr/Kconfig", zephyr_options()}};
}

}  // namespace poet
