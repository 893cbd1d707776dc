#include <spdlog/spdlog.h>

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/place_unmoved.hpp"
#include "app/print_summary.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/buffer_csv.hpp"
#include "poet/error.hpp"
#include "report/place_schedule.hpp"

namespace poet::cli {
namespace {

std::optional<Bytes> capacity_of(const PlaceArguments& arguments) {
  if (arguments.capacity.empty()) return std::nullopt;
  const std::optional<Bytes> bytes = parse_bytes(arguments.capacity);
  if (!bytes || *bytes < 1) {
    throw InputError("--capacity", fmt::format("found '{}'; expected a size of at least 1 byte",
                                               printable(arguments.capacity)));
  }
  return bytes;
}

/// The usual one if the option is not given.
Bytes alignment_of(const PlaceArguments& arguments, Bytes usual) {
  return arguments.alignment.empty() ? usual : std::stoi(arguments.alignment);
}

Outcome refuse(const std::string& name, Bytes peak, Bytes capacity, PlacementStatus search) {
  if (peak > capacity) {
    spdlog::error("{}: {} bytes are in use at once; the capacity is {} bytes", name, peak,
                  capacity);
  } else if (search == PlacementStatus::impossible) {
    spdlog::error("{}: proven: no offsets fit {} bytes without moves", name, capacity);
  } else {
    spdlog::error("{}: found no offsets that fit {} bytes in the time", name, capacity);
  }
  return {.code = ExitCode::requirement};
}

Outcome refuse_moves(const std::string& name, Bytes capacity) {
  spdlog::error(
      "{}: found no offsets that fit {} bytes, even with moves, as no tensor may be moved while it "
      "is transferred; --no-moves solves again in less RAM",
      name, capacity);
  return {.code = ExitCode::requirement};
}

Outcome place_table(const Options& options, const std::string& text, const std::string& name) {
  const BufferTable table = parse_buffers(text, options.input_file);
  const Bytes alignment = alignment_of(options.place, 1);
  const Bytes peak = peak_bytes(table.buffers, alignment);
  const Arena arena{.capacity_bytes = capacity_of(options.place).value_or(peak),
                    .alignment = alignment};
  const PlacementResult found =
      place(table.buffers, arena, {.seconds = options.place.time_limit_seconds});
  if (found.status != PlacementStatus::fits) {
    return refuse(name, peak, arena.capacity_bytes, found.status);
  }
  const std::vector<std::string> wrong = check_placement(table.buffers, arena, found.placement);
  if (!wrong.empty()) throw InternalError("the offsets are wrong: " + wrong.front());
  spdlog::info("{}: {} buffers in {} bytes of {}; at least {} are needed", name,
               table.buffers.size(), arena_bytes(table.buffers, found.placement, alignment),
               arena.capacity_bytes, peak);
  return {.document = write_buffers(table, found.placement.offsets), .output = options.output};
}

/// The lifetimes of a placed schedule; tensors and workspaces are called by their number.
std::string schedule_table(const ScheduleFile& file) {
  const ProgramBuffers program = program_buffers(file.graph, file.program);
  BufferTable table{.ids = {}, .buffers = program.buffers};
  std::vector<Bytes> offsets(program.buffers.size(), 0);
  for (std::size_t b = 0; b < program.buffers.size(); ++b) table.ids.push_back(std::to_string(b));
  for (std::size_t at = 0; at < file.program.size(); ++at) {
    const Instruction& step = file.program[at];
    if (const int b = program.of_instruction[at]; b >= 0) offsets[b] = step.offset.value_or(0);
    if (const int b = program.workspace[at]; b >= 0) {
      offsets[b] = step.workspace_offset.value_or(0);
    }
  }
  return write_buffers(table, offsets);
}

void describe(const PlacedSchedule& placed, const std::string& name) {
  const Summary& summary = placed.file.summary;
  const Bytes rounding = placed.peak_bytes - summary.peak_ram_bytes;
  spdlog::info("{}: {} bytes of {}; the peak of the schedule is {}{}", name,
               *placed.file.arena.arena_bytes, placed.capacity_bytes, summary.peak_ram_bytes,
               rounding > 0 ? fmt::format(", and rounding adds {}", rounding) : std::string());
  print_moves(placed.file, name + ": ");
}

Outcome place_schedule_file(const Options& options, const std::string& text,
                            const std::string& name) {
  const PlaceArguments& arguments = options.place;
  const ScheduleFile file = parse_schedule_file(text, options.input_file);
  const PlaceOptions wishes{.capacity_bytes = capacity_of(arguments),
                            .alignment = alignment_of(arguments, offset_alignment(file)),
                            .moves = !arguments.csv,
                            .time_limit = arguments.time_limit_seconds};
  PlacedSchedule placed = arguments.no_moves ? place_unmoved(file, wishes, name, options.quiet)
                                             : place_schedule(file, wishes);
  if (placed.in_the_way) return refuse_moves(name, placed.capacity_bytes);
  if (!placed.fits) return refuse(name, placed.peak_bytes, placed.capacity_bytes, placed.search);
  price_moves(placed.file);
  describe(placed, name);
  return {.document =
              arguments.csv ? schedule_table(placed.file) : to_json(placed.file, options.compact),
          .output = options.output};
}

}  // namespace

Outcome run_place(const Options& options) {
  check_destination("--output", options.output);
  const std::string text = read_file(options.input_file);
  const std::string name = shown_source(options.input_file);
  return holds_buffers(text) ? place_table(options, text, name)
                             : place_schedule_file(options, text, name);
}

}  // namespace poet::cli
