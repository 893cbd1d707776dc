#include "tally.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace poet::bench {
namespace {

constexpr double kMebibyte = 1 << 20;

std::string_view outcome(const Measurement& m) {
  if (m.ok()) return status_name(m.figures.status);
  return m.figures.has_schedule ? "INVALID" : "FAILED";
}

/// Either answer ends the matter: a schedule proven within the gap, or a proof that none exists.
bool settled(const Measurement& m) {
  return m.ok() && (m.figures.status == Status::optimal || m.figures.status == Status::infeasible);
}

std::string gap_line(const char* what, const std::vector<double>& gaps) {
  if (gaps.empty()) return {};
  double sum = 0;
  for (const double gap : gaps) sum += gap;
  return fmt::format("gap on {}: worst {:.4f} %, mean {:.4f} % over {} schedules\n", what,
                     100 * *std::max_element(gaps.begin(), gaps.end()),
                     100 * sum / static_cast<double>(gaps.size()), gaps.size());
}

}  // namespace

std::string table_heading() {
  return fmt::format(
      "{:<34} {:>7} {:>7} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>11} {:>11} {:>11} {:>8} {:>9} "
      "{:>10} {:>7}\n{:<34} {:>7} {:>7} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>11} {:>11} {:>11} "
      "{:>8} {:>9} {:>10} {:>7}",
      "instance", "rows", "columns", "nonzeros", "build", "first", "heur.", "milp", "wall",
      "energy", "extra", "bound", "gap", "gap extra", "status", "RSS", "", "", "", "", "s", "s",
      "s", "s", "s", "J", "J", "J", "%", "%", "", "MiB");
}

std::string table_row(const Measurement& m) {
  const Figures& f = m.figures;
  std::string row =
      fmt::format("{:<34} {:>7} {:>7} {:>8} {:>7.2f} {:>7.3f} {:>7.2f} {:>7.2f} {:>7.2f} ",
                  m.instance.name(), f.rows, f.columns, f.nonzeros, f.build_seconds,
                  f.first_schedule_seconds, f.heuristic_seconds, f.milp_seconds, f.wall_seconds);
  if (f.has_schedule) {
    row += fmt::format("{:>11.7g} {:>11.6g} {:>11.7g} {:>8.4f} {:>9.3f} ", f.energy_joules,
                       f.extra_joules(), f.bound_joules, 100 * f.gap(), 100 * f.gap_on_extra());
  } else {
    row += fmt::format("{:>11} {:>11} {:>11} {:>8} {:>9} ", "-", "-", "-", "-", "-");
  }
  row +=
      fmt::format("{:>10} {:>7.0f}", outcome(m), static_cast<double>(m.peak_rss_bytes) / kMebibyte);
  return m.ok() ? row : row + "  " + m.failure;
}

std::string json_line(const Measurement& m) {
  const Figures& f = m.figures;
  std::string line = fmt::format(
      R"({{"model": "{}", "platform": "{}", "ram_budget_bytes": {}, "runtime_budget_ratio": {}, )"
      R"("status": "{}", "valid": {}, "rows": {}, "columns": {}, "nonzeros": {}, "nodes": {}, )"
      R"("build_seconds": {}, "first_schedule_seconds": {}, "heuristic_seconds": {}, )"
      R"("milp_seconds": {}, "wall_seconds": {}, "peak_rss_bytes": {})",
      m.instance.model, m.instance.platform, m.instance.ram_bytes, m.instance.runtime_ratio,
      outcome(m), m.ok(), f.rows, f.columns, f.nonzeros, f.nodes, f.build_seconds,
      f.first_schedule_seconds, f.heuristic_seconds, f.milp_seconds, f.wall_seconds,
      m.peak_rss_bytes);
  if (f.has_schedule) {
    line += fmt::format(
        R"(, "baseline_energy_joules": {}, "energy_joules": {}, "extra_energy_joules": {}, )"
        R"("lower_bound_joules": {}, "gap": {}, "gap_on_extra": {})",
        f.baseline_joules, f.energy_joules, f.extra_joules(), f.bound_joules, f.gap(),
        f.gap_on_extra());
  }
  return line + "}";
}

std::string summary(const std::vector<Measurement>& measurements) {
  std::size_t settled_count = 0;
  std::size_t infeasible = 0;
  std::size_t without = 0;
  std::size_t faults = 0;
  std::vector<double> gaps;
  std::vector<double> extra_gaps;
  for (const Measurement& m : measurements) {
    if (settled(m)) ++settled_count;
    if (!m.ok()) ++faults;
    if (m.ok() && m.figures.status == Status::infeasible) ++infeasible;
    if (m.ok() && m.figures.status == Status::unknown) ++without;
    if (!m.ok() || !m.figures.has_schedule) continue;
    gaps.push_back(m.figures.gap());
    extra_gaps.push_back(m.figures.gap_on_extra());
  }
  std::string text = fmt::format("{} of {} points proven within the limit ({} of them infeasible)",
                                 settled_count, measurements.size(), infeasible);
  for (const double seconds : {1.0, 10.0, 60.0}) {
    const auto count = std::count_if(
        measurements.begin(), measurements.end(),
        [&](const Measurement& m) { return settled(m) && m.figures.wall_seconds <= seconds; });
    text += fmt::format("; {} in {:g} s", count, seconds);
  }
  text +=
      fmt::format("\n{} without a schedule or a verdict, {} invalid or failed\n", without, faults);
  return text + gap_line("total energy", gaps) + gap_line("extra energy", extra_gaps);
}

}  // namespace poet::bench
