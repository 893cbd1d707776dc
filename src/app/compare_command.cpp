#include <spdlog/spdlog.h>

#include "app/commands.hpp"
#include "formats/read_results.hpp"
#include "formats/write_comparison.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

/// A baseline that does not hold itself can hold nothing else to anything.
ComparedResult read_baseline(const std::string& path) {
  ComparedResult baseline = read_compared(path, false);
  if (baseline.is_sweep) return baseline;
  const std::string& fault = baseline.points.front().fault;
  if (!fault.empty()) throw InputError(path, "this is no baseline: " + fault);
  return baseline;
}

}  // namespace

Outcome run_compare(const Options& options) {
  const CompareArguments& arguments = options.compare;
  if (arguments.baseline == "-" && arguments.fresh == "-") {
    throw InputError("NEW", "found - for both results; stdin can be only one");
  }
  const ComparedResult baseline = read_baseline(arguments.baseline);
  const ComparedResult fresh = read_compared(arguments.fresh, true);
  const Comparison comparison =
      compare(baseline, fresh, arguments.rel_tol,
              arguments.on_changed_graph == "fail" ? OnChangedGraph::fail : OnChangedGraph::report);
  for (const Difference& difference : comparison.improvements) {
    spdlog::info("better: {}: {}", difference.point, difference.message);
  }
  for (const Difference& difference : comparison.graph_changes) {
    spdlog::warn("{}: {}", difference.point, difference.message);
  }
  for (const Difference& difference : comparison.regressions) {
    spdlog::error("{}: {}", difference.point, difference.message);
  }
  const ExitCode code = comparison.regressions.empty() ? ExitCode::ok : ExitCode::requirement;
  spdlog::info("{}", comparison_headline(comparison));
  if (arguments.json)
    return {.code = code, .document = comparison_json(comparison, static_cast<int>(code))};
  if (arguments.markdown) return {.code = code, .document = comparison_markdown(comparison)};
  return {.code = code};
}

}  // namespace poet::cli
