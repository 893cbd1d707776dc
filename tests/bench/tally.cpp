#include "tally.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace poet::bench {
namespace {

constexpr double kMebibyte = 1 << 20;

std::optional<double> excess(Joules extra, Joules reference) {
  if (reference <= 0) return std::nullopt;
  return extra / reference - 1;
}

std::string percentage(const std::optional<double>& share) {
  return share ? fmt::format("{:.2f}", 100 * *share) : "-";
}

}  // namespace

std::string_view outcome(const Measurement& m) {
  if (m.ok()) return status_name(m.figures.status);
  return m.figures.finished ? "INVALID" : "FAILED";
}

std::optional<double> excess_over_best(const Measurement& m) {
  if (!m.ok() || !m.figures.has_schedule) return std::nullopt;
  return excess(m.figures.extra_joules(), m.instance.best_extra_joules);
}

std::optional<double> early_excess(const Measurement& m) {
  if (!m.ok() || m.figures.early_joules <= 0) return std::nullopt;
  Joules reference = m.instance.best_extra_joules;
  if (m.figures.status == Status::optimal) {
    const Joules proven = m.figures.extra_joules();
    reference = reference > 0 ? std::min(reference, proven) : proven;
  }
  return excess(m.figures.early_joules - m.figures.baseline_joules, reference);
}

std::string table_heading() {
  constexpr auto kLayout =
      "{:<34} {:>7} {:>7} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>11} {:>11} {:>11} {:>8} {:>9} "
      "{:>7} {:>7} {:>10} {:>7}";
  const std::string names = fmt::format(
      kLayout, "instance", "rows", "columns", "nonzeros", "build", "first", "heur.", "milp", "wall",
      "energy", "extra", "bound", "gap", "gap extra", "best", "early", "status", "RSS");
  return names + "\n" +
         fmt::format(kLayout, "", "", "", "", "s", "s", "s", "s", "s", "J", "J", "J", "%", "%",
                     "+%", "+%", "", "MiB");
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
  row += fmt::format("{:>7} {:>7} {:>10} {:>7.0f}", percentage(excess_over_best(m)),
                     percentage(early_excess(m)), outcome(m),
                     static_cast<double>(m.peak_rss_bytes) / kMebibyte);
  if (!m.disabled.empty()) row += "  without " + m.disabled;
  return m.ok() ? row : row + "  " + m.failure;
}

}  // namespace poet::bench
