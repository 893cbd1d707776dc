#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/error.hpp"
#include "poet/solve.hpp"

namespace poet::cli {

/// What poet-solve is asked to do.
enum class Command { solve, verify, plot, sweep, compare };

/// `sweep`, besides what it shares with a single solve.
struct SweepArguments {
  std::string models;
  std::string platforms;
  std::string ram_budget;
  std::string runtime_budget;
  std::string techniques = "both";
  bool min_ram = false;
  int jobs = 1;
  std::string format = "jsonl";
  std::string csv;
  std::string plot;
  std::string schedules;
  std::string resume;
  bool dry_run = false;
  std::string collect;
  /// Whether any option says what to solve; without, --resume takes it from the journal.
  bool has_request = false;
};

/// `compare`.
struct CompareArguments {
  std::string baseline;
  std::string fresh;
  double rel_tol = 1e-4;
  bool json = false;
  bool markdown = false;
};

/// What the command line said, not yet interpreted: errors in values name their option later.
struct Options {
  Command command = Command::solve;
  std::string program;  ///< how this program was called
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
  std::string completion;  ///< the shell
  bool man = false;
  // Manners.
  bool quiet = false;
  int verbose = 0;
  std::string log_file;
  // The other commands.
  std::string schedule_file;  ///< verify
  std::string plot_file;      ///< plot
  SweepArguments sweep;
  CompareArguments compare;
};

/// An option that stands where it would be lost. What the option says is not for this command: no
/// document goes to an --output that stands in front of it.
class MisplacedOption : public InputError {
 public:
  using InputError::InputError;
};

/// What parse() found. `exit_now` is set for --help and --version, whose text is on stdout.
struct Parsed {
  Options options;
  std::string document;  ///< not empty: what the options ask the program to say of itself
  bool exit_now = false;
};

/// Throws MisplacedOption for an option of the single solve in front of a command, and InputError
/// for anything else that is not of the documented form.
Parsed parse(int argc, const char* const* argv);

/// Where the document of a run goes and what it looks like, found even on a command line that does
/// not parse, so that the error document goes where the result would have gone.
struct Destination {
  std::string output;    ///< the file named by --output; empty: stdout
  bool compact = false;  ///< --compact is there
  /// The command leaves a document when it fails. A sweep keeps its lines, a comparison and a
  /// picture are no place for JSON.
  bool errors = true;
};
Destination find_destination(int argc, const char* const* argv);

}  // namespace poet::cli
