#pragma once

#include <string>

#include "poet/graph.hpp"
#include "poet/schedule_file.hpp"

namespace poet::cli {

/// The pictures that --plot-directory asks for: `<model>.dot` and, by Graphviz, `<model>.graph.svg`
/// before the solve, `<model>.schedule.svg` after it.
class PlotDirectory {
 public:
  /// Nothing is written for an empty `directory`. Else it is created; throws InputError if that
  /// fails, or if a picture could not be written later.
  PlotDirectory(const std::string& directory, const std::string& model_name);

  /// Throws InputError if the DOT file cannot be written. Without Graphviz its picture is left out
  /// with a warning.
  void write_graph(const Graph& graph) const;
  /// False, after an error message, if the picture cannot be written.
  bool write_schedule(const ScheduleFile& file) const;

 private:
  std::string path(const char* ending) const { return stem_ + ending; }

  std::string stem_;  ///< empty: not asked for
  std::string model_name_;
};

}  // namespace poet::cli
