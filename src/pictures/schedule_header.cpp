#include "pictures/schedule_page.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "pictures/style.hpp"

namespace poet::plot {
namespace {

constexpr double kTitleBaseline = 34;
constexpr double kSubtitleBaseline = 54;
constexpr double kLabelBaseline = 84;
constexpr double kValueBaseline = 102;
constexpr double kValueSize = 16;
constexpr double kNoteBaseline = 118;

/// A figure with what it is called and what to compare it with.
struct Fact {
  std::string label;
  std::string value;
  std::string note;
};

Fact status_fact(const ScheduleFile& report) {
  const bool optimal = report.status == Status::optimal;
  return {"status", std::string(status_name(report.status)),
          !optimal ? std::string("valid; the proof is not complete")
          : report.request.settings.gap == 0
              ? std::string("proven exactly")
              : fmt::format("proven within {:.3g} %", 100 * report.request.settings.gap)};
}

Fact recomputing_fact(const ScheduleFile& report) {
  if (!report.request.remat) return {"recomputing", "none", "not allowed"};
  const int count = report.summary.recompute_count;
  return {"recomputing", fmt::format("{}x", count),
          fmt::format("{} computations in all", report.graph.size() + count)};
}

Fact paging_fact(const ScheduleFile& report) {
  if (!report.request.paging) return {"paging", "none", "not allowed"};
  const Summary& s = report.summary;
  return {
      "paging", fmt::format("{} out, {} in", s.page_out_count, s.page_in_count),
      fmt::format("{} out, {} in", format_bytes(s.page_out_bytes), format_bytes(s.page_in_bytes))};
}

std::vector<Fact> facts(const ScheduleFile& report) {
  const Summary& s = report.summary;
  return {status_fact(report),
          {"energy per step", format_joules(s.energy_joules),
           fmt::format("{} over the baseline", change_text(s.energy_overhead))},
          {"lower bound", format_joules(s.lower_bound_joules),
           s.gap == 0 ? std::string("no gap") : fmt::format("gap {:.2g} %", 100 * s.gap)},
          {"peak RAM", format_bytes(s.peak_ram_bytes),
           fmt::format("budget {}", format_bytes(s.ram_budget_bytes))},
          {"runtime", fmt::format("{:.4f}x", s.runtime_ratio),
           fmt::format("budget {:.4g}x{}", report.request.runtime_budget_ratio,
                       report.request.paging_time == PagingTime::free ? "" : ", with transfers")},
          recomputing_fact(report),
          paging_fact(report)};
}

std::string subtitle(const ScheduleFile& report) {
  const Summary& s = report.summary;
  std::string text = fmt::format("One training step of {} nodes", report.graph.size());
  if (report.model.batch_size > 1) text += fmt::format(", batch size {}", report.model.batch_size);
  return text + fmt::format(
                    ". Baseline: every node computed once and kept as long as needed takes "
                    "{} and {}",
                    format_joules(s.baseline_energy_joules),
                    format_bytes(s.baseline_peak_ram_bytes));
}

double width_of(const Fact& fact) {
  return std::max({estimated_width(fact.label, kNoteSize), estimated_width(fact.value, kValueSize),
                   estimated_width(fact.note, kNoteSize)});
}

/// Side by side, with what room is left spread evenly between them.
void draw_facts(SvgWriter& svg, const std::vector<Fact>& all, double left, double right) {
  double spare = right - left;
  for (const Fact& fact : all) spare -= width_of(fact);
  const double gap = spare / static_cast<double>(all.size() - 1);
  double x = left;
  for (const Fact& fact : all) {
    svg.text(x, kLabelBaseline, "note", fact.label);
    svg.text(x, kValueBaseline, "value", fact.value);
    svg.text(x, kNoteBaseline, "note", fact.note);
    x += width_of(fact) + gap;
  }
}

}  // namespace

std::string schedule_title(const ScheduleFile& report) {
  if (!report.platform) return report.model.name;
  return fmt::format("{} on {}", report.model.name, report.platform->name);
}

void draw_schedule_header(SvgWriter& svg, const ScheduleFile& report, double left, double right) {
  const std::string title = schedule_title(report);
  svg.text(left, kTitleBaseline, "title", shortened(title, kTitleSize, right - left), title);
  svg.text(left, kSubtitleBaseline, "note", subtitle(report));
  draw_facts(svg, facts(report), left, right);
}

}  // namespace poet::plot
