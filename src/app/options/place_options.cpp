#include "app/options/command_syntax.hpp"

namespace poet::cli {
namespace {

constexpr const char* kPlaceFooter =
    "FILE is a schedule file, which is written with the offsets, or a table of buffers as the\n"
    "benchmarks of MiniMalloc have them: CSV with the columns id, lower, upper (exclusive) and "
    "size,\n"
    "which is written with a column offset. Nothing in a table is moved.\n"
    "\n"
    "With --no-moves, a schedule for which no offsets are found is solved again with a RAM budget\n"
    "that is lower by what they exceed it, until they fit. The settings of its request hold.\n"
    "\n"
    "Exit status:\n"
    "  0                               the offsets were written\n"
    "  2                               bad usage, a file that cannot be read, or a schedule that "
    "is\n"
    "                                  not valid; nothing was written\n"
    "  5                               nothing that fits was found; nothing was written\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve place schedule.json --output placed.json\n"
    "  $ poet-solve place schedule.json --capacity 256K --alignment 16 --no-moves > placed.json\n"
    "  $ poet-solve place buffers.csv --capacity 1048576 > offsets.csv";

void add_place_options(CLI::App& app, Options& options) {
  OptionGroup group(app);
  PlaceArguments& place = options.place;
  group.argument("FILE", options.input_file, "a schedule file, a table of buffers, or - for stdin");
  group.text("--capacity", place.capacity, "BYTES",
             "what the offsets have to fit; without, the RAM budget of the schedule, or the peak "
             "of a table");
  group.choice("--alignment", place.alignment, {"4", "8", "16", "32"},
               "offsets are multiples of this; without, 4, or 1 for a table");
  group.flag("--no-moves", place.no_moves,
             "move no tensor while it is in use; solve again in less RAM if no offsets fit");
  group.flag("--csv", place.csv, "write the lifetimes of a schedule as a table, without moves");
  group.number<double>(
      "--time-limit-s", place.time_limit_seconds, "S", {.expected = "seconds of at least 0"},
      "wall clock of the search, in seconds; 0 = none, but a schedule's ends after "
      "about a second of steps");
  group.text("--output", options.output, "FILE", "write the result there, whole or not at all");
  group.flag("--compact", options.compact, "JSON on one line");
}

}  // namespace

const CommandSyntax kPlaceSyntax{.command = Command::place,
                                 .name = "place",
                                 .summary = "find an offset in RAM for every tensor of a schedule",
                                 .footer = kPlaceFooter,
                                 .add_options = add_place_options,
                                 .error_document = false};

}  // namespace poet::cli
