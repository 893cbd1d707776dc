#include "cli/options/groups.hpp"

namespace poet::cli {

CLI::App* add_plot(CLI::App& app, Options& options) {
  CLI::App* plot = app.add_subcommand(
      "plot", "draw a schedule file as SVG on stdout: RAM over time, and every tensor's life");
  plot->footer("");  // else it would be that of the whole program
  plot->add_option("file", options.plot_file, "a schedule file, or - for stdin")->required();
  plot->add_option("--output", options.output, "write the picture there, whole or not at all")
      ->type_name("FILE");
  add_manners(*plot, options);
  return plot;
}

}  // namespace poet::cli
