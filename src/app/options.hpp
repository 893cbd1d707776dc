#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "execute/run_result.hpp"
#include "poet/model.hpp"
#include "poet/settings.hpp"

namespace poet::cli {

enum class Command {
  solve,
  import_solution,
  import_network,
  info,
  verify,
  plot,
  simulate,
  place,
  run,
  export_code,
  fit,
  sweep,
  baselines,
  compare
};

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
  /// Any option describes the grid, or a setting that a resumed sweep may not change; without,
  /// --resume takes them from FILE.
  bool has_request = false;
  /// The options, such as --gap, that a resumed sweep may change, and that the command line has or
  /// implies.
  std::vector<std::string> changes{};
};

/// `compare`.
struct CompareArguments {
  std::string baseline;
  std::string fresh;
  double rel_tol = 1e-4;
  std::string on_changed_graph = "report";
  bool json = false;
  bool markdown = false;
};

/// `plot`: how the picture is drawn.
struct PlotArguments {
  std::string width;  ///< empty: for screens
  bool no_title = false;
  std::string format = "svg";
  std::string lanes;   ///< empty: all
  std::string x_axis;  ///< empty: by computation
  std::string theme;   ///< empty: light on paper, the reader's choice on a screen
};

/// `place`.
struct PlaceArguments {
  std::string capacity;   ///< empty: the schedule's RAM budget, or the peak of a table
  std::string alignment;  ///< empty: what is usual for the file
  bool no_moves = false;
  bool csv = false;
  double time_limit_seconds = 0;
};

/// `run`, besides how the schedule is run.
struct RunArguments {
  std::string parameters;            ///< a .npz file
  std::vector<std::string> inputs;   ///< FILE or NAME=FILE
  std::vector<std::string> targets;  ///< likewise
  std::string profile;               ///< the folder for measured costs
};

/// `export`.
struct ExportArguments {
  std::string format = "c";
  bool force = false;  ///< the folder may hold other files
};

/// `baselines`, and `sweep --baselines`.
struct BaselinesArguments {
  bool of_sweep = false;  ///< the sweep runs other methods with every budget
  std::string methods = "all";
};

/// What the file of an ONNX network does not say.
struct NetworkArguments {
  std::string loss;       ///< empty: by the output
  std::string trainable;  ///< empty: all
  std::vector<std::string> custom;
  std::vector<std::string> shapes;
};

/// `fit`.
struct FitArguments {
  std::string schedule;
  double ticks_per_second = 1e6;
};

/// The command line as data, not yet interpreted: errors in values name their option later.
struct Options {
  Command command = Command::solve;
  std::string program;  ///< how this program was called
  // What to solve.
  std::string model;
  std::string platform;
  std::string ram_budget;
  std::string runtime_budget;
  std::int64_t batch_size = 1;
  std::string backward;  ///< empty: as the model says
  Bytes alignment = kUsualAlignment;
  bool paging = true;
  bool remat = true;
  bool count_parameters = false;  ///< the RAM budget holds more than tensors
  std::string paging_time;        ///< empty: what is usual for the model
  std::string storage_budget;
  std::string page_out_budget;
  // How hard to try.
  SolveSettings settings;
  bool require_optimal = false;
  std::string warm_start;
  // What to write.
  std::string output;    ///< empty: stdout
  bool replace = false;  ///< a run without a schedule may replace one in `output`
  bool compact = false;
  /// A failed run leaves a document. It does not if the command writes lines, findings or pictures.
  bool error_document = true;
  std::string plot_directory;
  std::string export_model;
  bool no_solve = false;  ///< write what was asked for, and end
  bool print_graph_info = false;
  bool print_power_costs = false;
  // Lists instead of a solve.
  bool list_models = false;
  bool list_platforms = false;
  bool list_ops = false;
  bool json = false;  ///< of info as well
  // Common to all commands.
  bool quiet = false;
  bool verbose = false;
  std::string log_file;
  // The other commands.
  std::string input_file;  ///< of plot, simulate, place, run, export, fit and both imports
  std::string exported;    ///< of import-solution
  std::vector<std::string> input_files;  ///< of verify
  RunSettings run;
  RunArguments run_with;
  FitArguments fit;
  NetworkArguments network;
  SweepArguments sweep;
  CompareArguments compare;
  PlotArguments plot;
  PlaceArguments place;
  ExportArguments exporting;
  BaselinesArguments baselines;
};

/// Reads the command line. Returns false if that was all: --help and --version are on stdout then.
/// Throws InputError for anything that is not of the documented form; `options` then hold at least
/// where the error document goes.
bool parse(int argc, const char* const* argv, Options& options);

}  // namespace poet::cli
