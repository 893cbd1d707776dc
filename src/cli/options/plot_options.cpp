#include "cli/options/groups.hpp"

namespace poet::cli {
namespace {

constexpr const char* kDescription = "draw a schedule, or the curves of a sweep, as SVG on stdout";

constexpr const char* kFooter =
    "A schedule file becomes RAM over time and every tensor's life. The JSON lines of a sweep\n"
    "become energy overhead over RAM budget, a curve for each set of techniques, platform and\n"
    "runtime budget, a panel for each model. Which of the two a file is, its content says.\n"
    "\n"
    "Examples:\n"
    "  poet-solve plot schedule.json --output schedule.svg\n"
    "  poet-solve plot curve.jsonl --output curve.svg\n"
    "  cat m4.jsonl a72.jsonl | poet-solve plot - > both.svg\n"
    "      The results of two sweeps in one picture.\n"
    "\n"
    "Exit status: 0 drawn; 2 bad usage or input, nothing written.";

}  // namespace

CLI::App* add_plot(CLI::App& app, Options& options) {
  CLI::App* plot = app.add_subcommand("plot", kDescription);
  plot->footer(kFooter);
  plot->add_option("file", options.plot_file,
                   "a schedule file, the JSON lines of a sweep, or - for stdin")
      ->required()
      ->type_name("FILE");
  plot->add_option("--output", options.output, "write the picture there, whole or not at all")
      ->type_name("FILE");
  add_manners(*plot, options);
  return plot;
}

}  // namespace poet::cli
