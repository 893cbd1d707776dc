// What a firmware engineer opens first: README.md, and a program that trains on data of a seed. The
// program is outside of what the builds compile, as each firmware has a main() of its own.

#include <fmt/format.h>

#include "export/c_names.hpp"
#include "export/c_sources.hpp"

namespace poet {
namespace {

struct Array {
  std::string_view member;
  std::string_view macro;
  std::int64_t count;
};

std::vector<Array> kept_arrays(const DevicePlan& plan) {
  return {{"parameters", "PARAMETER", plan.parameter_count},
          {"moments", "MOMENT", plan.moment_count},
          {"kept", "KEPT", plan.kept_count},
          {"running", "RUNNING", plan.running_count}};
}

/// Arrays for all inputs or targets, what points to them, and calls that fill them.
struct DataText {
  std::string arrays, pointers, fills;
};

DataText data_text(std::string_view word, std::string_view macro,
                   const std::vector<StepData>& all) {
  DataText text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    text.arrays += fmt::format("static {} {}_{}[POET_{}_{}_COUNT];\n",
                               all[i].index_limit > 0 ? "int32_t" : "float", word, i, macro, i);
    text.pointers += fmt::format("{}{}_{}", i == 0 ? "" : ", ", word, i);
    text.fills += fmt::format("  poet_fill_{0}(&poet_plan, {1}, 1, {0}_{1});\n", word, i);
  }
  if (!all.empty())
    text.arrays += fmt::format("static const void* const {}s[] = {{{}}};\n", word, text.pointers);
  return text;
}

constexpr std::string_view kStorage = R"(
/* In the place of flash or a card. */
static unsigned char storage[POET_STORAGE_BYTES];

int poet_page_out(uint32_t offset, const void* from, uint32_t bytes) {
  memcpy(storage + offset, from, bytes);
  return POET_OK;
}

int poet_page_in(uint32_t offset, void* to, uint32_t bytes) {
  memcpy(to, storage + offset, bytes);
  return POET_OK;
}
)";

constexpr std::string_view kTraining = R"(  for (step = 0; step < 3 && status == POET_OK; ++step) {
    status = poet_step(&poet_plan, &memory, losses);
    for (i = 0; i < POET_LOSS_COUNT && status == POET_OK; ++i) printf("%.9g\n", (double)losses[i]);
  }
)";

constexpr std::string_view kForwardPass =
    R"(  (void)step, (void)i, (void)losses;
  if (status == POET_OK) status = poet_infer(&poet_plan, &memory, outputs, 0);
  for (i = 0; i < POET_OUTPUT_0_COUNT && status == POET_OK; ++i) printf("%.9g\n", (double)output[i]);
)";

/// What programs for hosts and for boards share: all memory, and the statements that hand it over.
struct ProgramText {
  std::string arrays, statements;
};

ProgramText program_text(const DevicePlan& plan) {
  const TrainingStep& step = *plan.step;
  const DataText inputs = data_text("input", "INPUT", step.inputs);
  const DataText targets = data_text("target", "TARGET", step.targets);
  std::string arrays;
  std::string members;
  for (const Array& each : kept_arrays(plan)) {
    if (each.count == 0) continue;
    arrays += fmt::format("static poet_real {}[POET_{}_COUNT];\n", each.member, each.macro);
    members += fmt::format("  memory.{0} = {0};\n", each.member);
  }
  if (!step.inputs.empty()) members += "  memory.inputs = inputs;\n";
  if (!step.targets.empty()) members += "  memory.targets = targets;\n";
  const bool has_outputs = step.is_forward && !plan.outputs.empty();
  if (has_outputs) {
    arrays +=
        "static poet_real output[POET_OUTPUT_0_COUNT];\n"
        "static poet_real* const outputs[POET_OUTPUT_COUNT] = {output};\n";
  }
  return {
      "#include \"poet_plan.h\"\n\n"
      "static unsigned char arena[POET_ARENA_BYTES] __attribute__((aligned(POET_ALIGNMENT)));\n" +
          arrays + inputs.arrays + targets.arrays +
          std::string(plan.storage_bytes > 0 ? kStorage : ""),
      "  memset(&memory, 0, sizeof memory);\n  memory.arena = arena;\n"
      "  memory.constants = poet_constants;\n  memory.constant_bytes = poet_constant_bytes;\n" +
          members + "  status = poet_initialise(&poet_plan, &memory, 1);\n" + inputs.fills +
          targets.fills};
}

std::string example_main(const DevicePlan& plan) {
  const auto [arrays, statements] = program_text(plan);
  return fmt::format(
      "/* A start for a program of your own: data are of a seed, and what is printed is what\n"
      " * `poet-solve run` has. */\n"
      "#include <stdio.h>\n#include <string.h>\n\n{}\nint main(void) {{\n"
      "  struct poet_memory memory;\n  poet_real losses[POET_LOSS_COUNT + 1];\n"
      "  int status, step, i;\n{}{}"
      "  if (status != POET_OK) printf(\"status %d\\n\", status);\n"
      "  return status == POET_OK ? 0 : 1;\n}}\n",
      arrays, statements, plan.step->is_forward ? kForwardPass : kTraining);
}

/// The same for Arduino, which lists it among the examples of the library.
std::string example_sketch(const DevicePlan& plan) {
  const auto [arrays, statements] = program_text(plan);
  const std::string_view call = plan.step->is_forward
                                    ? "poet_infer(&poet_plan, &memory, outputs, 0)"
                                    : "poet_step(&poet_plan, &memory, losses)";
  return fmt::format(
      "/* Data are of a seed: put those of a sensor in their place. */\n#include <string.h>\n\n{}"
      "static struct poet_memory memory;\nstatic poet_real losses[POET_LOSS_COUNT + 1];\n"
      "static int status;\n\nvoid setup() {{\n  Serial.begin(115200);\n{}}}\n\n"
      "void loop() {{\n  if (status == POET_OK) status = {};\n"
      "  if (status != POET_OK) Serial.println(status);\n  Serial.println({}[0], 9);\n}}\n",
      arrays, statements, call, plan.step->is_forward ? "output" : "losses");
}

constexpr std::string_view kReadme = R"(
`poet_plan.h` has the sizes of what a program provides, and `poet_runtime.h` the functions that it calls.
`examples/main.c` is such a program, for any machine with a C compiler:

    cc -O2 -ffp-contract=off -I. examples/main.c poet_*.c -o main && ./main

## Builds

- **Make**: `include poet.mk`; compile `POET_SOURCES` with `POET_CFLAGS`, link with `POET_LDFLAGS`.
- **CMake**: `add_subdirectory(FOLDER)` and `target_link_libraries(app PRIVATE poet_step)`.
- **PlatformIO**: the folder in `lib`, or in `platformio.ini`

      [env:board]
      lib_extra_dirs = FOLDER/..
      build_unflags = -Os
      build_flags = -O2 -ffp-contract=off

- **Arduino**: the folder in `libraries`; `examples/train/train.ino` is a sketch, also in its menu.
- **ESP-IDF**: the folder in `components`.
- **Zephyr**: `-DZEPHYR_EXTRA_MODULES=FOLDER`. `zephyr/Kconfig` sets `CONFIG_FPU=y` where there is an FPU.

`-ffp-contract=off` is what results depend on; `poet_initialise()` returns `POET_FUSED` without it.

## Licence

The runtime and the builds, which are the same in each export, are under the Apache License 2.0 (`LICENSE`). What is made of your
model has the line `LicenseRef-Model-Owner`: it belongs to whom the model belongs, and the authors of poet-solve claim no right in it.
)";

}  // namespace

FolderFiles example_program(const DevicePlan& plan) {
  return {{"README.md", fmt::format("# A {} of '{}'\n\nWritten by poet-solve {}.\n{}",
                                    plan.step->is_forward ? "forward pass" : "training step",
                                    comment_text(plan.name), generator_version(), kReadme)},
          {"examples/main.c", example_main(plan)},
          {"examples/train/train.ino", example_sketch(plan)}};
}

}  // namespace poet
