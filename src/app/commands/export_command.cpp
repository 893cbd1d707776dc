// The command `export`. All files are made in memory first and written together, so a schedule that
// cannot be exported leaves no half of a plan. The formats tflm and csv are about offsets alone:
// they take graphs of every kind, and need no model. The order of the checks follows from what each
// error helps with: names and destinations first, then whether there is a training step at all,
// then whether the model is the schedule's, and only then the schedule itself. A schedule that
// breaks a rule is no bad usage, so it has an exit status of its own. Offsets are searched without
// moves, because moves are instructions, and ticks of a board name instructions by the numbers that
// the file has.

#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/load_subject.hpp"
#include "app/terminal/print_summary.hpp"
#include "base/files/files.hpp"
#include "base/files/folder.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "execute/run_schedule.hpp"
#include "export/c_sources.hpp"
#include "export/memory_plan.hpp"
#include "poet/error.hpp"
#include "report/place_schedule.hpp"
#include "runs/load_step.hpp"
#include "runs/run_data.hpp"

namespace poet {

enum class ExportFormat { c, tflm, csv };

template <>
inline constexpr auto kNames<ExportFormat> =
    kWords<ExportFormat::c, ExportFormat::tflm, ExportFormat::csv>;

}  // namespace poet

namespace poet::cli {
namespace {

constexpr const char* kExportHelp =
    R"(Writes the training step of SCHEDULE as C99 for a device: constant tables with every address,
the kernels, and a runtime that allocates nothing. tflm and csv write the offsets alone, of any
schedule, and need no model. A schedule without offsets gets some, as from 'place'.

Exit status:
  0                               all files were written
  2                               bad usage or input, or a folder that cannot be written;
                                  nothing was written
  5                               the schedule is invalid, or no offsets fit; nothing was
                                  written

Examples:
  $ poet-solve export s.json --model ds_cnn --output plan
  $ poet-solve export s.json --model net.json --parameters trained.npz --output plan
  $ poet-solve export s.json --format tflm --output offsets)";

struct ExportArguments {
  std::string schedule;
  std::string model;
  ImportRequest network;
  std::string parameters;  ///< a .npz file
  std::string output;
  ExportFormat format = ExportFormat::c;
  std::uint64_t seed = 1;
  bool force = false;

  bool wants_c() const { return format == ExportFormat::c; }
};

void check_export_input(const ExportArguments& arguments) {
  check_one_stdin("SCHEDULE", {arguments.schedule, arguments.model});
  require_option(arguments.output, "--output", "the directory that the files go to");
  if (arguments.wants_c()) {
    require_option(arguments.model, "--model", "the model that the schedule was solved for");
  }
  if (!arguments.wants_c() && !arguments.parameters.empty()) {
    throw InputError("--parameters", fmt::format("found with --format {}, which has offsets alone; "
                                                 "expected --format c, or no such option",
                                                 name_of(arguments.format)));
  }
  check_folder("--output", arguments.output);
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

/// The step is bound from the model and the schedule is about a graph. If the two differ by a
/// single node, every address after it is wrong on a device that checks nothing, so they are
/// compared here.
Export c_export(const TrainingStep& step, const ScheduleFile& file, const PlacedStep& placed,
                const FirstParameters& first) {
  expect_graph_of(step, file.graph, file.model.alignment);
  DevicePlan plan = resolve_plan(step, file.model.name, placed);
  plan.has_reset = !first.given.empty();
  return {.files = c_sources(plan, first),
          .about = fmt::format(
              "{} instructions; RAM for tensors {} bytes, parameters {}, gradients that are kept "
              "{}, optimizer {}; storage {}; flash for constants {}",
              plan.instructions.size(), plan.arena_bytes,
              sizeof(poet_real) * static_cast<std::size_t>(plan.parameter_count),
              sizeof(poet_real) * static_cast<std::size_t>(plan.kept_count),
              sizeof(poet_real) * static_cast<std::size_t>(plan.moment_count), plan.storage_bytes,
              sizeof(poet_real) * static_cast<std::size_t>(plan.constant_count))};
}

/// Throws InputError, naming the option, for parameters that do not fit the step.
FirstParameters first_parameters(const ExportArguments& arguments,
                                 const std::optional<TrainingStep>& step) {
  FirstParameters first{.seed = arguments.seed};
  if (arguments.parameters.empty()) return first;
  GivenData given;
  read_parameters("--parameters", arguments.parameters, *step, given);
  first.given = std::move(given.parameters);
  return first;
}

// Alignment is the graph's: an offset that is no multiple of it is refused before it gets into a
// table.
Export make_export(const ExportArguments& arguments, const std::optional<TrainingStep>& step,
                   const ScheduleFile& file, const FirstParameters& first) {
  const PlacedStep placed{.graph = file.graph,
                          .program = file.program,
                          .arena_bytes = *file.arena.arena_bytes,
                          .alignment = file.model.alignment};
  if (arguments.wants_c()) return c_export(*step, file, placed, first);
  const bool is_plan = arguments.format == ExportFormat::tflm;
  return {.files = is_plan ? memory_plan(placed) : program_table(placed),
          .about = fmt::format("offsets within {} bytes of RAM", placed.arena_bytes)};
}

/// The directory may hold a user's own files: an export replaces an earlier export and nothing
/// else.
void write_files(const ExportArguments& arguments, const FolderFiles& files) {
  const std::optional<std::string> other = other_name(arguments.output, files);
  if (other && !arguments.force) {
    throw InputError(arguments.output,
                     fmt::format("found '{}'; expected an empty directory, an earlier export, or "
                                 "--force, which leaves other files as they are",
                                 printable(*other)));
  }
  write_folder(arguments.output, files);
}

ExitCode export_step(const ExportArguments& arguments) {
  check_export_input(arguments);
  const std::string name = shown_source(arguments.schedule);
  const ScheduleFile read = parse_schedule_file(read_file(arguments.schedule), arguments.schedule);
  std::optional<TrainingStep> step;
  if (arguments.wants_c()) expect_training_step(read, name);
  if (!arguments.model.empty()) {
    const NamedText text = model_text(arguments.network, arguments.model);
    step = with_place("--model", [&] { return load_step(text, read); });
  }
  const FirstParameters first = first_parameters(arguments, step);
  if (!is_sound(read, name, "nothing was written")) return ExitCode::requirement;
  const std::optional<ScheduleFile> file = with_offsets(read, name);
  if (!file) return ExitCode::requirement;
  const Export made = with_place(name, [&] { return make_export(arguments, step, *file, first); });
  with_place("--output", [&] { write_files(arguments, made.files); });
  spdlog::info("{}: {}; {}", printable(arguments.output, 400), counted(made.files.size(), "file"),
               made.about);
  return ExitCode::ok;
}

// --seed is for constants only. What is trained gets its numbers on the device, by the same
// functions.
Run add_export(CLI::App& app) {
  const auto arguments = std::make_shared<ExportArguments>();
  OptionGroup group(app);
  group.argument("SCHEDULE", arguments->schedule,
                 "a schedule file, with an exact backward pass for C, or - for stdin");
  group.text("--model", arguments->model, "NAME|FILE", kSolvedModel);
  group.text("--output", arguments->output, "DIR",
             "write the files into this directory, all or none; it is made if need be");
  group.choice("--format", arguments->format,
               "C sources, an offline memory plan of TensorFlow Lite for Microcontrollers, or a "
               "table of instructions");
  group.number<std::uint64_t>("--seed", arguments->seed, "N", {},
                              "C: seed of the parameters that are not trained, as for 'run'");
  group.text("--parameters", arguments->parameters, "FILE.npz",
             "C: the parameters to begin with, frozen and trained ones, as for 'run'");
  group.flag("--force", arguments->force, "even if the directory holds other files");
  add_network_options(app, arguments->network, kOfOnnx);
  return [arguments](Session&) { return export_step(*arguments); };
}

}  // namespace

extern const Command kExport{
    .name = "export",
    .summary = "write a schedule as C for a device, or its offsets for other runtimes",
    .footer = kExportHelp,
    .add = add_export};

}  // namespace poet::cli
