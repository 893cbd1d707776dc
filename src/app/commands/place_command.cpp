// The command `place`: offsets for a schedule that has none, or that has to fit something other
// than its RAM budget. Every new schedule file has offsets already, so this is for older files,
// other capacities and other alignments. With --no-moves it may call the solver, which is why it
// shows progress and can be interrupted. Offsets are not a part of a solve, as a peak in bytes does
// not say whether they exist. Usually they do, and otherwise something has to give: moves cost time
// on the device, a larger arena costs RAM, and a schedule within less RAM costs energy. Which of
// them is right only the user knows, so each is an option, and the error names what helps in the
// case at hand.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/load_subject.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/print_summary.hpp"
#include "app/terminal/progress_line.hpp"
#include "app/terminal/signals.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/named_text.hpp"
#include "model/chip_ram.hpp"
#include "poet/error.hpp"
#include "question/place_unmoved.hpp"
#include "report/fields.hpp"
#include "report/place_schedule.hpp"
#include "runs/load_step.hpp"

namespace poet::cli {
namespace {

constexpr const char* kPlaceHelp = R"(FILE is a schedule file, which is written with the offsets.

On a platform with banks, every tensor lies in one of them, and so do parameters, gradients and
moments that training keeps, so that reading and writing take the least time, or energy; no
tensor is moved. With --capacity there is one arena all the same.

With --no-moves, a schedule for which no offsets are found is solved again with a RAM budget
that is lower by what they exceed it, until they fit. The new solve has the settings of the first.

Exit status:
  0                               the offsets were written
  2                               bad usage, a file that cannot be read, or a schedule that is
                                  not valid; nothing was written
  5                               nothing that fits was found; nothing was written

Examples:
  $ poet-solve place schedule.json --output placed.json
  $ poet-solve place schedule.json --platform stm32h743_banks --output placed.json
  $ poet-solve place schedule.json --capacity 256K --alignment 16 --no-moves > placed.json)";

struct PlaceArguments {
  std::string file;
  std::optional<Bytes> capacity;  ///< absent: the schedule's RAM budget
  std::string alignment;          ///< empty: what is usual for the file
  std::string model;              ///< empty: the one of the schedule, if it is found
  std::string platform;           ///< empty: the one of the schedule, if it is found
  std::string bank_cost;          ///< empty: time
  bool no_moves = false;
  double time_limit_seconds = 0;
  Destination to;
};

// Bytes only: a share would be one of the peak, which offsets may exceed.
Bytes parse_capacity(const std::string& text) {
  const std::optional<Bytes> bytes = parse_bytes(text);
  if (bytes && *bytes >= 1) return *bytes;
  throw InputError(fmt::format("found '{}'; expected a size of at least 1 byte", printable(text)));
}

/// What found no room, with its bytes: arrays that training keeps, and the first few tensors.
std::string shown_left_over(const PlacedSchedule& placed) {
  constexpr std::size_t kMost = 5;
  const std::vector<int>& nodes = placed.left_over;
  const Graph& graph = placed.file.graph;
  std::string text;
  const DeviceMemory memory = placed.file.summary.memory.value_or(DeviceMemory());
  for (const TrainingArray array : placed.left_arrays) {
    const auto [words, bytes] = term_of(array, memory);
    text += fmt::format("{}the {} ({} bytes)", text.empty() ? "" : ", ", words, bytes);
  }
  for (std::size_t i = 0; i < std::min(nodes.size(), kMost); ++i) {
    const Node& node = graph.nodes[nodes[i]];
    text += fmt::format("{}'{}' ({} bytes)", text.empty() ? "" : ", ", printable(node.name),
                        std::max(node.bytes, node.workspace_bytes));
  }
  if (nodes.size() > kMost) text += fmt::format(" and {} more", nodes.size() - kMost);
  return text;
}

ExitCode refuse_banks(const PlacedSchedule& placed, const std::string& name) {
  const std::string found = shown_left_over(placed);
  if (placed.is_above_banks) {
    spdlog::error("{}: no bank has room for {}", name, found);
  } else {
    spdlog::error(
        "{}: {} no placement in the banks; without room in the best attempt: {}; "
        "--no-moves solves again in less RAM",
        name, placed.search == PlacementStatus::impossible ? "proven: there is" : "found", found);
  }
  return ExitCode::requirement;
}

/// The reasons differ in what helps: a schedule for less RAM, a larger capacity, moves, or more
/// time.
ExitCode refuse_place(const PlacedSchedule& placed, const std::string& name) {
  const Bytes capacity = placed.capacity_bytes;
  if (!placed.left_over.empty() || !placed.left_arrays.empty()) return refuse_banks(placed, name);
  if (placed.in_the_way) {
    spdlog::error(
        "{}: found no offsets that fit {} bytes, even with moves, as no tensor may be moved while "
        "it is transferred; --no-moves solves again in less RAM",
        name, capacity);
  } else if (placed.peak_bytes > capacity) {
    spdlog::error("{}: {} bytes are in use at once; the capacity is {} bytes", name,
                  placed.peak_bytes, capacity);
  } else if (placed.search == PlacementStatus::impossible) {
    spdlog::error("{}: proven: no offsets fit {} bytes without moves", name, capacity);
  } else {
    spdlog::error("{}: found no offsets that fit {} bytes in the time", name, capacity);
  }
  return ExitCode::requirement;
}

/// A solve in less RAM costs energy. The warning names both energies, as what is written is then
/// another schedule than the one that was given.
void report_solve(const UnmovedPlacement& unmoved, const ScheduleFile& before,
                  const std::string& name) {
  const Bytes budget = unmoved.ram_budget_bytes;
  if (!unmoved.no_schedule.empty()) {
    spdlog::error("{}: no schedule is left within {} bytes: {}", name, budget, unmoved.no_schedule);
  }
  if (!unmoved.placed.fits || budget == 0) return;
  const Joules was = before.summary.energy_joules;
  const Joules is = unmoved.placed.file.summary.energy_joules;
  spdlog::warn(
      "{}: found no offsets that fit {} bytes without moves; solved again within {} bytes, for {} "
      "instead of {} ({})",
      name, unmoved.placed.capacity_bytes, budget, format_joules(is), format_joules(was),
      change_text(was > 0 ? is / was - 1 : 0));
}

// A solve can take minutes, so this alone shows progress and heeds a signal. What was found until
// then is reported as every other failure is.
PlacedSchedule without_moves(const ScheduleFile& file, const PlaceOptions& wishes,
                             const std::string& name, bool quiet) {
  catch_interrupts();
  ProgressLine line(quiet);
  UnmovedPlacement unmoved = place_unmoved(
      file, wishes, [&line](const Progress& progress) { line.show(progress); },
      [] { return interrupted(); });
  line.clear();
  report_solve(unmoved, file, name);
  return std::move(unmoved.placed);
}

// Rounding is named by itself: it is why an arena can be larger than a peak that fits.
void report_placement(const PlacedSchedule& placed, const std::string& name) {
  const Summary& summary = placed.file.summary;
  const Bytes rounding = placed.peak_bytes - summary.peak_ram_bytes;
  spdlog::info("{}: {} bytes of {}; the peak of the schedule is {}{}", name,
               *placed.file.arena.arena_bytes, placed.capacity_bytes, summary.peak_ram_bytes,
               rounding > 0 ? fmt::format(", and rounding adds {}", rounding) : std::string());
  print_moves(placed.file, name + ": ");
  print_banks(placed.file, name + ": ");
}

/// The platform with the banks, if one arena was not asked for.
std::optional<Platform> banked_platform(const PlaceArguments& arguments, const ScheduleFile& file) {
  const bool asks =
      !arguments.platform.empty() || !arguments.bank_cost.empty() || !arguments.model.empty();
  if (arguments.capacity) {
    if (!asks) return std::nullopt;
    throw InputError(
        "found --capacity, which asks for one arena, beside --model, --platform or --bank-cost; "
        "expected either");
  }
  std::optional<Platform> platform;
  if (!arguments.platform.empty()) {
    platform = load_platform(arguments.platform);
  } else if (file.platform) {
    platform = find_platform(*file.platform);
  }
  if (platform && !platform->banks.empty()) return platform;
  if (!asks) return std::nullopt;
  throw InputError(
      platform ? fmt::format("platform '{}' has no banks; expected one with \"banks\"",
                             printable(platform->name))
               : std::string("the platform of the schedule was not found; expected --platform"));
}

/// The model of the schedule: it says what reads the parameters, which lie in banks too.
std::optional<Model> scheduled_model(const PlaceArguments& arguments, const ScheduleFile& file) {
  if (arguments.model.empty()) return find_model(file);
  return load_scheduled_model(find_text(arguments.model, "model", embedded_models()), file);
}

// Moves are priced after the fact, if the platform of the schedule is found: the energy of the file
// is the schedule's and stays comparable.
ExitCode place_file(const PlaceArguments& arguments, bool quiet) {
  const std::string text = read_file(arguments.file);
  const std::string name = shown_source(arguments.file);
  const ScheduleFile file = parse_schedule_file(text, arguments.file);
  const std::optional<Platform> banked = banked_platform(arguments, file);
  const std::optional<Model> model = banked ? scheduled_model(arguments, file) : std::nullopt;
  const PlaceOptions wishes{
      .capacity_bytes = arguments.capacity,
      .alignment =
          arguments.alignment.empty() ? offset_alignment(file) : std::stoi(arguments.alignment),
      .platform = banked ? &*banked : nullptr,
      .model = model ? &*model : nullptr,
      .bank_cost = value_of<BankCost>(arguments.bank_cost).value_or(BankCost::time),
      .time_limit = arguments.time_limit_seconds};
  PlacedSchedule placed =
      arguments.no_moves ? without_moves(file, wishes, name, quiet) : place_schedule(file, wishes);
  if (!placed.fits) return refuse_place(placed, name);
  price_moves(placed.file);
  report_placement(placed, name);
  return deliver(to_json(placed.file, arguments.to.compact), arguments.to.output);
}

// An option that is gone is kept as an error that says what to use in its place.
Run add_place(CLI::App& app) {
  const auto arguments = std::make_shared<PlaceArguments>();
  OptionGroup group(app);
  group.argument("FILE", arguments->file, "a schedule file, or - for stdin");
  group.parsed("--capacity", arguments->capacity, "BYTES", parse_capacity,
               "what the offsets have to fit; without, the RAM budget of the schedule");
  group
      .text("--alignment", arguments->alignment, "4|8|16|32",
            "offsets are multiples of this; without, 4")
      ->check(one_of({"4", "8", "16", "32"}));
  group.text("--model", arguments->model, "NAME|FILE",
             "the model of the schedule, for its parameters in banks; without, it is looked for");
  group.text("--platform", arguments->platform, "NAME|FILE",
             "the platform with the banks; without, the one of the schedule");
  group
      .text("--bank-cost", arguments->bank_cost, "time|energy",
            "minimise the time or the energy of access to banks; without, time")
      ->check(one_of({"time", "energy"}));
  group.flag("--no-moves", arguments->no_moves,
             "move no tensor while it is in use; solve again in less RAM if no offsets fit");
  group.gone("--csv", "tables of buffers are for the benchmark poet_place_bench now");
  group.number<double>(
      "--time-limit-s", arguments->time_limit_seconds, "S", {.expected = "seconds of at least 0"},
      "wall clock of the search, in seconds; 0 = none, but a schedule's ends after "
      "about a second of steps");
  group.text("--output", arguments->to.output, "FILE",
             "write the result there, whole or not at all");
  group.flag("--compact", arguments->to.compact, "JSON on one line");
  return [arguments](Session& session) { return place_file(*arguments, session.quiet); };
}

}  // namespace

extern const Command kPlace{.name = "place",
                            .summary = "find an offset in RAM for every tensor of a schedule",
                            .footer = kPlaceHelp,
                            .add = add_place};

}  // namespace poet::cli
