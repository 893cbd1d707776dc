#include "cli/plot_options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace poet::cli {

CLI::App* add_plot_options(CLI::App& app, Options& options) {
  CLI::App* plot = app.add_subcommand(
      "plot", "draw a schedule file as SVG on stdout: RAM over time, and every tensor's life");
  plot->add_option("file", options.plot_file, "a schedule file, or - for stdin")->required();
  plot->add_option("--output", options.output, "write the picture there, whole or not at all")
      ->type_name("FILE");
  return plot;
}

bool find_plot(int argc, const char* const* argv) {
  // What may stand before a command; anything else may take the next word for its value.
  constexpr std::array<std::string_view, 4> kFlags{"-q", "--quiet", "-v", "--verbose"};
  for (int a = 1; a < argc; ++a) {
    const std::string_view word = argv[a];
    if (word == "--log-file") ++a;
    const bool skip = word.starts_with("--log-file") ||
                      std::find(kFlags.begin(), kFlags.end(), word) != kFlags.end();
    if (!skip) return word == "plot";
  }
  return false;
}

}  // namespace poet::cli
