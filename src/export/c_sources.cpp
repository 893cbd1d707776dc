// All files of an export. The runtime is embedded in the program, as text, so that an export needs
// nothing else and fits the plan that it comes with. All kernels come along, and poet.mk lets the
// linker leave out what the plan does not call. A whole tree of sources beside the plan would have
// to be found and kept at the same version by the user.

#include "export/c_sources.hpp"

#include <string>

#include <fmt/format.h>

#include "export/c_names.hpp"
#include "poet/version.hpp"

namespace poet {
namespace {

/// The families of kernels become one file; what is called poet_... stays a file of its own.
bool is_of_kernels(const EmbeddedFile& file) {
  return file.name.ends_with(".c") && !file.name.starts_with("poet_");
}

/// What is made of a model belongs to its owner; the rest is alike in all exports.
bool is_of_model(const std::string& name) {
  return name.starts_with("poet_plan.") || name.starts_with("poet_inference.") ||
         name == "poet_constants.c" || name == "poet_parameters.c";
}

/// JSON has no comments: its licence is a key.
void state_licence(FolderFile& file) {
  if (file.name == "LICENSE" || file.name.ends_with(".json")) return;
  const std::string line =
      fmt::format("SPDX-License-Identifier: {}",
                  is_of_model(file.name) ? "LicenseRef-Model-Owner" : "Apache-2.0");
  const std::string comment = is_c_file(file.name)         ? fmt::format("/* {} */\n", line)
                              : file.name.ends_with(".md") ? fmt::format("<!-- {} -->\n", line)
                                                           : fmt::format("# {}\n", line);
  if (!file.text.starts_with(comment)) file.text.insert(0, comment);
}

}  // namespace

bool is_c_file(std::string_view name) {
  return name.ends_with(".c") || name.ends_with(".h") || name.ends_with(".ino");
}

PlanWords words_of(const DevicePlan& plan) {
  if (plan.is_second) return {"POET_INFERENCE_", "poet_inference", "poet_inference_"};
  return {"POET_", "poet_plan", "poet_"};
}

FolderFiles c_sources(const DevicePlan& plan, const DevicePlan* second,
                      const FirstParameters& first) {
  FolderFiles files{{"poet_plan.c", plan_source(plan)},
                    {"poet_plan.h", plan_header(plan)},
                    {"poet_constants.c", constants_source(plan, first)}};
  if (second != nullptr) {
    files.push_back({"poet_inference.c", plan_source(*second)});
    files.push_back({"poet_inference.h", plan_header(*second, &plan)});
  }
  if (plan.has_reset) files.push_back({"poet_parameters.c", reset_source(plan, first)});
  std::string kernels =
      fmt::format("/* The kernels of poet_kernels.h. Written by poet-solve {}; do not edit. */\n",
                  POET_VERSION);
  for (const EmbeddedFile& file : embedded_runtime()) {
    if (is_of_kernels(file)) {
      const std::string_view text = file.text.substr(file.text.find('\n') + 1);  // its licence
      kernels += fmt::format("\n/* ---- {} ---- */\n\n{}", file.name, text);
    } else {
      files.push_back({std::string(file.name), std::string(file.text)});
    }
  }
  files.push_back({"poet_kernels.c", kernels});
  std::vector<std::string> sources;
  for (const FolderFile& file : files) {
    if (file.name.ends_with(".c")) sources.push_back(file.name);
  }
  for (FolderFile& file : firmware_builds(sources)) files.push_back(std::move(file));
  for (FolderFile& file : example_program(plan)) files.push_back(std::move(file));
  for (FolderFile& file : files) state_licence(file);
  return files;
}

}  // namespace poet
