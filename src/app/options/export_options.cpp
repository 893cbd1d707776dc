#include "app/options/command_syntax.hpp"

namespace poet::cli {
namespace {

constexpr const char* kExportFooter =
    "Writes the training step of SCHEDULE as C99 for a device: constant tables with every "
    "address,\n"
    "the kernels, and a runtime that allocates nothing. tflm and csv write the offsets alone, of "
    "any\n"
    "schedule, and need no model. A schedule without offsets gets some, as from 'place'.\n"
    "\n"
    "Exit status:\n"
    "  0                               all files were written\n"
    "  2                               bad usage or input, or a folder that cannot be written;\n"
    "                                  nothing was written\n"
    "  5                               the schedule is invalid, or no offsets fit; nothing was\n"
    "                                  written\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve export s.json --model ds_cnn --output plan\n"
    "  $ poet-solve export s.json --format tflm --output offsets";

void add_export_options(CLI::App& app, Options& options) {
  OptionGroup group(app);
  group.argument("SCHEDULE", options.input_file,
                 "a schedule file, with an exact backward pass for C, or - for stdin");
  group.text("--model", options.model, "NAME|FILE", "the model that it was solved for, or -");
  group.text("--output", options.output, "DIR",
             "write the files into this directory, all or none; it is made if need be");
  group.choice("--format", options.exporting.format, {"c", "tflm", "csv"},
               "C sources, an offline memory plan of TensorFlow Lite for Microcontrollers, or a "
               "table of instructions");
  group.number<std::uint64_t>("--seed", options.run.seed, "N", {},
                              "C: seed of the parameters that are not trained, as for 'run'");
  group.flag("--force", options.exporting.force, "even if the directory holds other files");
}

}  // namespace

const CommandSyntax kExportSyntax{
    .command = Command::export_code,
    .name = "export",
    .summary = "write a schedule as C for a device, or its offsets for other runtimes",
    .footer = kExportFooter,
    .add_options = add_export_options,
    .error_document = false};

}  // namespace poet::cli
