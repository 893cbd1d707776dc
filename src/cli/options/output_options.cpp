#include "cli/options/groups.hpp"
#include "cli/options/values.hpp"

namespace poet::cli {
namespace {

CLI::Validator one_of_shells() {
  return CLI::Validator(
      [](std::string& text) {
        return text == "bash" || text == "zsh" || text == "fish"
                   ? std::string{}
                   : fmt::format("found '{}'; expected bash, zsh or fish", shown(text));
      },
      "");
}

}  // namespace

void add_output_options(CLI::App& app, Options& options) {
  const char* group = "What to write";
  app.add_option("--output", options.output, "write the JSON there, whole or not at all")
      ->group(group)
      ->type_name("FILE");
  app.add_flag("--compact", options.compact, "JSON on one line")->group(group);
  app.add_option("--plot-directory", options.plot_directory,
                 "write the layer graph (DOT, and SVG where Graphviz is) and a picture of the "
                 "schedule into this directory")
      ->group(group)
      ->type_name("DIR");
  app.add_option("--export-model", options.export_model,
                 "write the MILP as .mps or .lp for another solver, then solve")
      ->group(group)
      ->type_name("FILE");
  app.add_flag("--print-graph-info", options.print_graph_info, "table of the nodes on stderr")
      ->group(group);
  app.add_flag("--print-power-costs", options.print_power_costs,
               "table of each node's energy and time on stderr")
      ->group(group);
}

void add_list_options(CLI::App& app, Options& options) {
  app.add_flag("--list-models", options.list_models, "what is built in, with sizes");
  app.add_flag("--list-platforms", options.list_platforms, "what is built in, with its figures");
  app.add_flag("--json", options.json, "lists as JSON on stdout");
}

void add_reference_options(CLI::App& app, Options& options) {
  app.add_option("--completion", options.completion,
                 "write what makes this shell complete command lines of poet-solve")
      ->check(one_of_shells())
      ->type_name("bash|zsh|fish");
  app.add_flag("--man", options.man, "write the manual page, for man");
}

void add_manners(CLI::App& app, Options& options) {
  app.add_flag("-q,--quiet", options.quiet, "errors only on stderr");
  app.add_flag("-v,--verbose", options.verbose, "more on stderr");
  app.add_option("--log-file", options.log_file, "write the log there as well")->type_name("FILE");
}

}  // namespace poet::cli
