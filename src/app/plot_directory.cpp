// --plot-directory. All three paths are checked when the directory is made, before the solve: the
// pictures come at its end, and a mistyped name would be found after hours.

#include "app/plot_directory.hpp"

#include <spdlog/spdlog.h>

#include <filesystem>

#include <fmt/format.h>

#include "app/option_group.hpp"
#include "base/files/files.hpp"
#include "pictures/graph_picture.hpp"
#include "poet/error.hpp"
#include "poet/plot.hpp"

namespace poet::cli {
namespace {

constexpr const char* kOption = "--plot-directory";
constexpr const char* kDot = ".dot";
constexpr const char* kGraphPicture = ".graph.svg";
constexpr const char* kSchedulePicture = ".schedule.svg";

void create(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error) return;
  throw InputError(kOption, fmt::format("cannot create '{}': {}", directory, error.message()));
}

}  // namespace

PlotDirectory::PlotDirectory(const std::string& directory, const std::string& model_name)
    : model_name_(model_name) {
  if (directory.empty()) return;
  create(directory);
  stem_ = directory + "/" + file_stem(model_name);
  for (const char* ending : {kDot, kGraphPicture, kSchedulePicture}) {
    with_place(kOption, [&] { check_writable(path(ending)); });
  }
}

// The DOT is written in any case; only its drawing needs Graphviz, which may be missing.
void PlotDirectory::write_graph(const Graph& graph) const {
  if (stem_.empty()) return;
  const std::string dot = plot::to_dot(graph, model_name_);
  write_file(path(kDot), dot);
  spdlog::info("layer graph written to {}", path(kDot));
  const plot::GraphPicture picture = plot::draw_graph(dot);
  if (!picture.problem.empty()) {
    spdlog::warn("no picture of the layer graph: {}", picture.problem);
    return;
  }
  write_file(path(kGraphPicture), picture.svg);
  spdlog::info("its picture written to {}", path(kGraphPicture));
}

/// A picture that fails must not cost the schedule.
bool PlotDirectory::write_schedule(const ScheduleFile& file) const {
  if (stem_.empty()) return true;
  try {
    write_file(path(kSchedulePicture), schedule_svg(file));
    spdlog::info("picture of the schedule written to {}", path(kSchedulePicture));
    return true;
  } catch (const InputError& error) {
    spdlog::error("no picture of the schedule: {}", error.what());
    return false;
  }
}

}  // namespace poet::cli
