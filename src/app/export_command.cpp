#include <spdlog/spdlog.h>

#include <optional>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/load_step.hpp"
#include "base/files/files.hpp"
#include "base/files/folder.hpp"
#include "base/text/printable.hpp"
#include "execute/run_schedule.hpp"
#include "export/c_sources.hpp"
#include "export/memory_plan.hpp"
#include "export/program_table.hpp"
#include "poet/error.hpp"
#include "report/place_schedule.hpp"

namespace poet::cli {
namespace {

bool wants_c(const Options& options) {
  return options.exporting.format == "c";
}

void check_export_input(const Options& options) {
  check_one_stdin(options, "SCHEDULE");
  require_option(options.output, "--output", "the directory that the files go to");
  if (wants_c(options)) {
    require_option(options.model, "--model", "the model that the schedule was solved for");
  }
  check_folder("--output", options.output);
}

/// The schedule with offsets; nothing, after an error message, if none are found. Instructions keep
/// their numbers: moves would change them, so they have to be in the file.
std::optional<ScheduleFile> with_offsets(const ScheduleFile& file, const std::string& name) {
  if (file.arena.arena_bytes) return file;
  PlacedSchedule placed =
      place_schedule(file, {.alignment = offset_alignment(file), .moves = false});
  if (placed.fits) return std::move(placed.file);
  spdlog::error(
      "{}: found no offsets that fit {} bytes; export the result of 'poet-solve place {}', which "
      "may move tensors or take more RAM",
      name, placed.capacity_bytes, name);
  return std::nullopt;
}

/// The files and a line about them.
struct Export {
  FolderFiles files;
  std::string about;
};

Export c_export(const TrainingStep& step, const ScheduleFile& file, const PlacedStep& placed,
                std::uint64_t seed) {
  expect_graph_of(step, file.graph, file.model.alignment);
  const DevicePlan plan = resolve_plan(step, file.model.name, placed);
  return {.files = c_sources(plan, seed),
          .about = fmt::format(
              "{} instructions; RAM for tensors {} bytes, parameters {}, gradients that are kept "
              "{}, optimizer {}; storage {}; flash for constants {}",
              plan.instructions.size(), plan.arena_bytes,
              sizeof(poet_real) * static_cast<std::size_t>(plan.parameter_count),
              sizeof(poet_real) * static_cast<std::size_t>(plan.kept_count),
              sizeof(poet_real) * static_cast<std::size_t>(plan.moment_count), plan.storage_bytes,
              sizeof(poet_real) * static_cast<std::size_t>(plan.constant_count))};
}

void write_files(const Options& options, const FolderFiles& files) {
  in_option("--output", [&] {
    const std::optional<std::string> other = other_name(options.output, files);
    if (other && !options.exporting.force) {
      throw InputError(options.output,
                       fmt::format("found '{}'; expected an empty directory, an earlier export, or "
                                   "--force, which leaves other files as they are",
                                   printable(*other)));
    }
    write_folder(options.output, files);
  });
}

}  // namespace

Outcome run_export(const Options& options) {
  check_export_input(options);
  const std::string name = shown_source(options.input_file);
  const ScheduleFile read = parse_schedule_file(read_file(options.input_file), options.input_file);
  std::optional<TrainingStep> step;
  if (wants_c(options)) expect_training_step(read, name);
  if (!options.model.empty()) step = load_step(options, read);
  if (!is_sound(read, name, "nothing was written")) return {.code = ExitCode::requirement};
  const std::optional<ScheduleFile> file = with_offsets(read, name);
  if (!file) return {.code = ExitCode::requirement};
  const PlacedStep placed{.graph = file->graph,
                          .program = file->program,
                          .arena_bytes = *file->arena.arena_bytes,
                          .alignment = file->model.alignment};
  Export made{.about = fmt::format("offsets within {} bytes of RAM", placed.arena_bytes)};
  try {
    if (wants_c(options)) {
      made = c_export(*step, *file, placed, options.run.seed);
    } else {
      made.files = options.exporting.format == "tflm" ? memory_plan(placed) : program_table(placed);
    }
  } catch (const InputError& error) {
    throw InputError(name, error.what());
  }
  write_files(options, made.files);
  spdlog::info("{}: {} file{}; {}", printable(options.output, 400), made.files.size(),
               made.files.size() == 1 ? "" : "s", made.about);
  return {};
}

}  // namespace poet::cli
