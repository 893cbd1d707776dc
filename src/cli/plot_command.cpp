#include <spdlog/spdlog.h>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "io/files.hpp"
#include "io/read_file.hpp"
#include "io/shown.hpp"
#include "poet/error.hpp"
#include "poet/plot.hpp"

namespace poet::cli {
namespace {

/// A picture of a schedule that does not hold would be believed.
void check_valid(const Report& report, const std::string& source) {
  const std::vector<std::string> findings = verify_report(report);
  if (findings.empty()) return;
  for (const std::string& finding : findings) spdlog::error("{}", finding);
  throw InputError(shown_source(source),
                   fmt::format("found {} finding{}; expected a schedule file that 'poet-solve "
                               "verify' accepts",
                               findings.size(), findings.size() == 1 ? "" : "s"));
}

void check_output(const std::string& path) {
  if (path.empty()) return;
  try {
    check_writable(path);
  } catch (const InputError& error) {
    throw InputError("--output", error.what());
  }
}

}  // namespace

Outcome run_plot(const Options& options) {
  check_output(options.output);
  const Report report = parse_report(read_file(options.plot_file), options.plot_file);
  check_valid(report, options.plot_file);
  return {.document = schedule_svg(report)};
}

}  // namespace poet::cli
