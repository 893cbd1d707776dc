#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/solve.hpp"

namespace poet::cli {

/// What the command line said, not yet interpreted: errors in values name their option later.
struct Options {
  // What to solve.
  std::string model;
  std::string platform;
  std::string ram_budget;
  std::string runtime_budget;
  std::int64_t batch_size = 1;
  double mem_power_scale = 1;
  bool paging = true;
  bool remat = true;
  // How hard.
  Effort effort = Effort::standard;
  Techniques techniques;
  double gap = 1e-4;
  double time_limit_seconds = 300;
  int threads = 1;
  std::uint32_t seed = 1;
  bool require_optimal = false;
  // What to write.
  std::string output;
  bool compact = false;
  std::string plot_directory;
  std::string export_model;
  bool print_graph_info = false;
  bool print_power_costs = false;
  // Asking, not solving.
  bool list_models = false;
  bool list_platforms = false;
  bool json = false;
  // Manners.
  bool quiet = false;
  int verbose = 0;
  std::string log_file;
  // verify
  bool verify = false;
  std::string schedule_file;
  // plot
  bool plot = false;
  std::string plot_file;
};

/// What parse() found. `exit_now` is set for --help and --version, whose text is on stdout.
struct Parsed {
  Options options;
  bool exit_now = false;
};

/// Throws InputError for anything that is not of the documented form.
Parsed parse(int argc, const char* const* argv);

/// The file named by --output, found even on a command line that does not parse, so that the
/// error document goes where the result would have gone. Empty: stdout.
std::string find_output(int argc, const char* const* argv);

/// Likewise whether --compact is there.
bool find_compact(int argc, const char* const* argv);

/// Likewise whether the command is `plot`, whose output is a picture: no error document may take
/// its place.
bool find_plot(int argc, const char* const* argv);

}  // namespace poet::cli
