#include <spdlog/spdlog.h>

#include "app/commands.hpp"
#include "base/files/files.hpp"
#include "poet/error.hpp"

namespace poet::cli {

Outcome run_verify(const Options& options) {
  const ScheduleFile report =
      parse_schedule_file(read_file(options.input_file), options.input_file);
  const std::vector<std::string> findings = verify_schedule_file(report);
  for (const std::string& finding : findings) spdlog::error("{}", finding);
  if (!findings.empty()) {
    spdlog::error("{}: invalid, {} finding{}", options.input_file, findings.size(),
                  findings.size() == 1 ? "" : "s");
    return {.code = ExitCode::usage};
  }
  const Summary& s = report.summary;
  spdlog::info("{}: valid; {} ({:+.3f} % over the baseline), peak RAM {} of {}, runtime {:.4f}x",
               options.input_file, format_joules(s.energy_joules), 100 * s.energy_overhead,
               format_bytes(s.peak_ram_bytes), format_bytes(s.ram_budget_bytes), s.runtime_ratio);
  return {};
}

}  // namespace poet::cli
