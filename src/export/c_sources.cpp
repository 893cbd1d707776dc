// All files of an export. The runtime is embedded in the program, as text, so that an export needs
// nothing else and fits the plan that it comes with. All kernels come along, and poet.mk lets the
// linker leave out what the plan does not call.

#include "export/c_sources.hpp"

#include <string>

#include <fmt/format.h>

#include "export/c_names.hpp"
#include "poet/version.hpp"
#include "step/initial_values.hpp"

namespace poet {
namespace {

/// The families of kernels become one file; what is called poet_... stays a file of its own.
bool is_of_kernels(const EmbeddedFile& file) {
  return file.name.ends_with(".c") && !file.name.starts_with("poet_");
}

std::string make_snippet(const FolderFiles& files) {
  std::string sources;
  for (const FolderFile& file : files) {
    if (file.name.ends_with(".c")) sources += " " + file.name;
  }
  return fmt::format(
      "# For a Makefile: include this file, compile POET_SOURCES with POET_CFLAGS, and link with\n"
      "# POET_LDFLAGS, so that kernels that the plan does not call are left out.\n"
      "ifndef POET_DIR\n"
      "POET_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))\n"
      "endif\n"
      "POET_SOURCES := $(addprefix $(POET_DIR)/,{})\n"
      "# Without -ffp-contract=off results depend on the compiler. -ffast-math is an error.\n"
      "POET_CFLAGS := -I$(POET_DIR) -ffp-contract=off -ffunction-sections -fdata-sections\n"
      "POET_LDFLAGS := -Wl,--gc-sections\n",
      sources.substr(1));
}

constexpr std::size_t kNumbersPerLine = 5;

void append_lines(std::string& text, const std::vector<float>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool ends_line = i % kNumbersPerLine + 1 == kNumbersPerLine || i + 1 == values.size();
    text += i % kNumbersPerLine == 0 ? "  " : " ";
    text += exact_float_literal(values[i]);
    text += ends_line ? ",\n" : ",";
  }
}

}  // namespace

FolderFiles c_sources(const DevicePlan& plan, std::uint64_t seed) {
  FolderFiles files{{"poet_plan.c", plan_source(plan)},
                    {"poet_plan.h", plan_header(plan)},
                    {"poet_constants.c", constants_source(plan, seed)}};
  std::string kernels =
      fmt::format("/* The kernels of poet_kernels.h. Written by poet-solve {}; do not edit. */\n",
                  POET_VERSION);
  for (const EmbeddedFile& file : embedded_runtime()) {
    if (is_of_kernels(file)) {
      kernels += fmt::format("\n/* ---- {} ---- */\n\n{}", file.name, file.text);
    } else {
      files.push_back({std::string(file.name), std::string(file.text)});
    }
  }
  files.push_back({"poet_kernels.c", kernels});
  files.push_back({"poet.mk", make_snippet(files)});
  return files;
}

// C has no empty array, and a program may name the array of a model that has no constants.
std::string constants_source(const DevicePlan& plan, std::uint64_t seed) {
  std::string text = fmt::format(
      "/* Parameters of '{}' that are not trained, as 'run --seed {}' has them. Written by\n"
      " * poet-solve {}; do not edit. */\n"
      "#include \"poet_plan.h\"\n\nconst poet_real poet_constants[] = {{\n",
      comment_text(plan.name), seed, POET_VERSION);
  if (plan.constant_count == 0) text += "  0, /* there are none */\n";
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const StepParameters& from = *plan.groups[g].parameters;
    if (from.is_trained) continue;
    text += fmt::format("  /* {} */\n", comment_text(from.name));
    append_lines(text, initial_parameters(from, seed, g));
  }
  return text + "};\n";
}

}  // namespace poet
