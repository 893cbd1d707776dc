// The command `export`. All files are made in memory first and written together, so a schedule that
// cannot be exported leaves no half of a plan. The formats tflm and csv are about offsets alone:
// they take graphs of every kind, and need no model. The order of the checks follows from what each
// error helps with: names and destinations first, then whether there is a training step at all,
// then whether the model is the schedule's, and only then the schedule itself. A schedule that
// breaks a rule has an exit status of its own, apart from bad usage. Offsets are searched without
// moves, because moves are instructions, and ticks of a board name instructions by the numbers that
// the file has.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
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
#include "execute/running_statistics.hpp"
#include "export/c_sources.hpp"
#include "export/memory_plan.hpp"
#include "poet/error.hpp"
#include "report/bank_figures.hpp"
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
    R"(Writes the training step of SCHEDULE, or its forward pass, as C99 for a device: constant tables with every address,
the kernels, and a runtime that allocates nothing. With --inference it writes both: a device trains
and then classifies with what it has learned. tflm and csv write the offsets alone, of any
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
  $ poet-solve export s.json --model ds_cnn --inference forward.json --output plan
      forward.json is a schedule of the same model with --backward none.
  $ poet-solve export s.json --format tflm --output offsets)";

struct ExportArguments {
  std::string schedule;
  std::string model;
  ImportRequest network;
  std::string inference;   ///< a schedule of a forward pass
  std::string parameters;  ///< a .npz file
  std::string output;
  std::string name;  ///< what the words of the C begin with
  ExportFormat format = ExportFormat::c;
  std::uint64_t seed = 1;
  bool force = false;

  bool wants_c() const { return format == ExportFormat::c; }
};

void check_export_input(const ExportArguments& arguments) {
  require_option(arguments.output, "--output", "the directory that the files go to");
  if (arguments.wants_c()) {
    require_option(arguments.model, "--model", "the model that the schedule was solved for");
  }
  for (const auto& [option, value] :
       {std::pair("--parameters", &arguments.parameters),
        std::pair("--inference", &arguments.inference), std::pair("--name", &arguments.name)}) {
    if (arguments.wants_c() || value->empty()) continue;
    throw InputError(option, fmt::format("found with --format {}, which has offsets alone; "
                                         "expected --format c, or no such option",
                                         name_of(arguments.format)));
  }
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

/// A step, and a schedule of it with offsets.
struct SolvedStep {
  TrainingStep step;
  ScheduleFile file;
};

/// The banks that the program uses. Offsets of 32 bits are for the plan to check.
std::vector<DeviceBank> banks_of(const ScheduleFile& file) {
  std::vector<DeviceBank> banks;
  for (const BankRange& range : used_banks(file)) {
    banks.push_back({.name = range.name,
                     .from = static_cast<std::uint32_t>(range.from),
                     .bytes = static_cast<std::uint32_t>(range.to - range.from)});
  }
  return banks;
}

KeptBanks kept_banks_of(const ScheduleFile& file) {
  KeptBanks banks;
  for (const KeptFigures& array : file.banked.kept) banks[array.what] = array.bank;
  return banks;
}

PlacedStep placed(const ScheduleFile& file) {
  return {.graph = file.graph,
          .program = file.program,
          .arena_bytes = *file.arena.arena_bytes,
          .alignment = file.model.alignment,
          .banks = banks_of(file),
          .kept = kept_banks_of(file)};
}

/// The step is bound from the model and the schedule is about a graph. If the two differ by a
/// single node, every address after it is wrong on a device that checks nothing, so they are
/// compared here.
PlacedStep placed(const SolvedStep& solved) {
  expect_graph_of(solved.step, solved.file.graph, solved.file.model.alignment);
  return placed(solved.file);
}

Export c_export(const SolvedStep& about, const SolvedStep* inference,
                const FirstParameters& first) {
  DevicePlan plan = resolve_plan(about.step, about.file.model.name, placed(about));
  const bool trains = plan.parameter_count > 0;
  plan.has_reset = trains && !first.given.empty();
  plan.has_running_reset =
      plan.has_reset && std::any_of(plan.groups.begin(), plan.groups.end(), [&](const auto& each) {
        return each.running >= 0 &&
               first.running.contains(static_cast<std::size_t>(&each - plan.groups.data()));
      });
  std::optional<DevicePlan> second;
  std::string also;
  if (inference != nullptr) {
    second = with_place("--inference", [&] {
      return resolve_second_plan(inference->step, placed(*inference), plan);
    });
    also = fmt::format("; inference in {} of the same bytes, in {} instructions",
                       second->arena_bytes, second->instructions.size());
  }
  return {.files = c_sources(plan, second ? &*second : nullptr, first),
          .about = fmt::format(
              "{} instructions; RAM for tensors {} bytes, parameters {}, gradients that are kept "
              "{}, optimizer {}; storage {}; flash for constants {}{}",
              plan.instructions.size(), plan.arena_bytes,
              sizeof(poet_real) * static_cast<std::size_t>(plan.parameter_count),
              sizeof(poet_real) * static_cast<std::size_t>(plan.kept_count),
              sizeof(poet_real) * static_cast<std::size_t>(plan.moment_count), plan.storage_bytes,
              sizeof(poet_real) * static_cast<std::size_t>(plan.constant_count) +
                  static_cast<std::size_t>(plan.constant_byte_count),
              also)};
}

/// Throws InputError, naming the option, for parameters that do not fit the step.
FirstParameters first_parameters(const ExportArguments& arguments, const TrainingStep& step) {
  FirstParameters first{.seed = arguments.seed};
  if (arguments.parameters.empty()) return first;
  GivenData given;
  read_parameters("--parameters", arguments.parameters, step, given);
  first.given = std::move(given.parameters);
  for (auto& [at, statistics] : given.statistics) {
    if (statistics.running.empty()) continue;
    const StepNorm& norm = *step.parameters[at].norm;
    if (norm.is_frozen) {
      first.given[at] = folded(first.given[at], statistics.running, norm.epsilon);
    } else {
      first.running[at] = std::move(statistics.running);
    }
  }
  return first;
}

/// Alignment is the graph's: any other offset is refused before it gets into a table.
Export offsets_export(const ExportArguments& arguments, const ScheduleFile& file) {
  const bool is_plan = arguments.format == ExportFormat::tflm;
  const PlacedStep offsets = placed(file);
  return {.files = is_plan ? memory_plan(offsets) : program_table(offsets),
          .about = fmt::format("offsets within {} bytes of RAM", offsets.arena_bytes)};
}

/// A schedule that was read, and the step of its model.
struct ReadStep {
  std::string name;
  ScheduleFile file;
  std::optional<TrainingStep> step;
};

/// The forward pass that shares the parameters of a training step.
ReadStep read_inference(const ExportArguments& arguments, const ScheduleFile& training,
                        const NamedText& model) {
  ReadStep read{.name = shown_source(arguments.inference), .file = {}, .step = {}};
  read.file = parse_schedule_file(read_file(arguments.inference), arguments.inference);
  const auto fail = [&](const std::string& what) { throw InputError("--inference", what); };
  if (is_forward_pass(training)) {
    fail(
        fmt::format("found with {}, the schedule of a forward pass; expected one of a training "
                    "step, whose parameters the inference reads, or no such option",
                    shown_source(arguments.schedule)));
  }
  if (!is_forward_pass(read.file)) {
    fail(fmt::format(
        "found {}, a graph with the backward pass '{}'; expected a schedule of the same "
        "model that was solved with --backward none",
        read.name, printable(read.file.model.backward)));
  }
  read.step = with_place("--inference", [&] { return load_step(model, read.file); });
  return read;
}

/// Nothing, after an error message, for a schedule that is not valid or gets no offsets.
std::optional<ScheduleFile> sound_with_offsets(const ScheduleFile& file, const std::string& name) {
  if (!is_sound(file, name, "nothing was written")) return std::nullopt;
  return with_offsets(file, name);
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
  ReadStep read{.name = shown_source(arguments.schedule), .file = {}, .step = {}};
  read.file = parse_schedule_file(read_file(arguments.schedule), arguments.schedule);
  std::optional<ReadStep> inference;
  FirstParameters first;
  if (arguments.wants_c()) expect_step(read.file, read.name);
  if (!arguments.model.empty()) {
    const NamedText text = model_text(arguments.network, arguments.model);
    read.step = with_place("--model", [&] { return load_step(text, read.file); });
    if (!arguments.inference.empty()) inference = read_inference(arguments, read.file, text);
    first = first_parameters(arguments, *read.step);
  }
  const std::optional<ScheduleFile> file = sound_with_offsets(read.file, read.name);
  if (!file) return ExitCode::requirement;
  std::optional<SolvedStep> second;
  if (inference) {
    std::optional<ScheduleFile> forward = sound_with_offsets(inference->file, inference->name);
    if (!forward) return ExitCode::requirement;
    second = SolvedStep{std::move(*inference->step), std::move(*forward)};
  }
  Export made = with_place(read.name, [&] {
    if (!arguments.wants_c()) return offsets_export(arguments, *file);
    const SolvedStep solved{std::move(*read.step), *file};
    return c_export(solved, second ? &*second : nullptr, first);
  });
  if (!arguments.name.empty()) rename_words(made.files, arguments.name);
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
                 "a schedule file, for C with an exact backward pass or with none, or - for stdin");
  group.text("--model", arguments->model, "NAME|FILE", kSolvedModel);
  group.text(
      "--output", arguments->output, "DIR",
      "write the files into this directory, all or none; it is created if it does not exist");
  group.choice("--format", arguments->format,
               "C sources, an offline memory plan of TensorFlow Lite for Microcontrollers, or a "
               "table of instructions");
  group.number<std::uint64_t>("--seed", arguments->seed, "N", {},
                              "C: seed of the parameters that are not trained, as for 'run'");
  group.text("--parameters", arguments->parameters, "FILE.npz",
             "C: the parameters to begin with, frozen and trained ones, as for 'run'");
  group.text("--inference", arguments->inference, "SCHEDULE",
             "C: a schedule of the same model with --backward none, for a second plan that shares "
             "parameters and kernels with the training step");
  group.text("--name", arguments->name, "NAME",
             "C: what all names in the C begin with, instead of 'poet', so that a program can have "
             "several exports");
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
