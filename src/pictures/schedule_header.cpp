// The figures of a schedule above its charts, each with what it has to be compared with: an energy
// means nothing without the baseline, a peak nothing without its budget. They stand in straight
// columns, in as few rows as their widths allow. Widths are estimated, as the font is the reader's
// (style.cpp).

#include "pictures/schedule_page.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "pictures/style.hpp"
#include "report/fields.hpp"

namespace poet::plot {
namespace {

constexpr double kLineHeight = 15;  ///< of the text under the title
constexpr double kFactGap = 16;     ///< least distance of two figures

/// A figure with what it is called and what to compare it with.
struct Fact {
  std::string label;
  std::string value;
  std::string note;
};

Fact status_fact(const ScheduleFile& file) {
  const bool optimal = file.status == Status::optimal;
  return {"status", std::string(status_name(file.status)),
          !optimal ? std::string("valid; the proof is not complete")
          : file.request.settings.gap == 0
              ? std::string("proven exactly")
              : fmt::format("proven within {:.3g} %", 100 * file.request.settings.gap)};
}

// A technique that is not allowed says so: a plain 0 would read as the solver's choice.
Fact recomputing_fact(const ScheduleFile& file) {
  if (!file.request.limits.techniques.remat) return {"recomputing", "none", "not allowed"};
  const int count = file.summary.recompute_count;
  return {"recomputing", fmt::format("{}x", count),
          fmt::format("{} computations in all", file.graph.size() + count)};
}

Fact paging_fact(const ScheduleFile& file) {
  if (!file.request.limits.techniques.paging) return {"paging", "none", "not allowed"};
  const Summary& s = file.summary;
  return {
      "paging", fmt::format("{} out, {} in", s.page_out_count, s.page_in_count),
      fmt::format("{} out, {} in", format_bytes(s.page_out_bytes), format_bytes(s.page_in_bytes))};
}

// Status first, as it says how much the other figures mean.
std::vector<Fact> facts(const ScheduleFile& file) {
  const Summary& s = file.summary;
  return {
      status_fact(file),
      {"energy per step", format_joules(s.energy_joules),
       fmt::format("{} over the baseline", change_text(s.energy_overhead))},
      {"lower bound", format_joules(s.lower_bound_joules),
       s.gap == 0 ? std::string("no gap") : fmt::format("gap {:.2g} %", 100 * s.gap)},
      {"peak RAM", format_bytes(s.peak_ram_bytes),
       fmt::format("budget {}", format_bytes(s.ram_budget_bytes))},
      {"runtime", fmt::format("{:.4f}x", s.runtime_ratio),
       fmt::format("budget {:.4g}x{}", file.request.runtime_budget_ratio,
                   file.request.limits.paging_time == PagingTime::free ? "" : ", with transfers")},
      recomputing_fact(file),
      paging_fact(file)};
}

/// `In banks: dtcm 127.4 KiB of 128 KiB, ...`; empty if the schedule is in none.
std::string banks_text(const BankedFigures& banked) {
  std::string text;
  for (const BankFigures& bank : banked.banks) {
    if (bank.used_bytes == 0) continue;
    text += fmt::format("{}{} {} of {}", text.empty() ? ". In banks: " : ", ", bank.name,
                        format_bytes(bank.used_bytes), format_bytes(bank.bytes));
  }
  if (text.empty() || !banked.bank_seconds) return {};
  return text +
         fmt::format("; reading and writing there takes {}", format_seconds(*banked.bank_seconds));
}

std::string subtitle(const ScheduleFile& file) {
  const Summary& s = file.summary;
  std::string text = fmt::format("One {} of {} nodes", step_word(file), file.graph.size());
  if (const Copies& copies = file.model.copies; !copies.tensors.empty()) {
    text += fmt::format(", {} of them {} copies for gradients", copies.tensors.size(),
                        name_of(copies.mode));
  }
  if (file.model.batch_size > 1) text += fmt::format(", batch size {}", file.model.batch_size);
  return text +
         fmt::format(
             ". Baseline: every node computed once and kept as long as needed takes "
             "{} and {}",
             format_joules(s.baseline_energy_joules), format_bytes(s.baseline_peak_ram_bytes)) +
         banks_text(file.banked);
}

double width_of(const Fact& fact, const Look& look) {
  return std::max({estimated_width(fact.label, kNoteSize),
                   estimated_width(fact.value, look.value_size),
                   estimated_width(fact.note, kNoteSize)});
}

/// The figures in straight columns.
struct FactTable {
  std::vector<double> widths;  ///< by column
  double gap = 0;              ///< between columns: what room is left, spread evenly
};

FactTable make_table(const std::vector<Fact>& all, const Look& look, std::size_t columns) {
  FactTable table{.widths = std::vector<double>(columns, 0)};
  for (std::size_t f = 0; f < all.size(); ++f) {
    double& width = table.widths[f % columns];
    width = std::max(width, width_of(all[f], look));
  }
  const double spare = look.room() - std::accumulate(table.widths.begin(), table.widths.end(), 0.0);
  table.gap = spare / static_cast<double>(columns - 1);
  return table;
}

/// As few rows as fit, filled evenly: none is left with a single figure.
FactTable choose_table(const std::vector<Fact>& all, const Look& look) {
  for (std::size_t rows = 1; rows < all.size(); ++rows) {
    const std::size_t columns = (all.size() + rows - 1) / rows;
    if (columns < 2) break;
    FactTable table = make_table(all, look, columns);
    if (table.gap >= kFactGap) return table;
  }
  return {.widths = {look.room()}};
}

/// Where the parts of the header are, from the top down.
struct HeaderLayout {
  double title = 0;  ///< baseline
  std::vector<std::string> lines;
  double first_line = 0;  ///< baseline
  std::vector<Fact> facts;
  FactTable table;
  double first_row = 0;
  double row_height = 0;

  double bottom() const {
    const std::size_t columns = table.widths.size();
    const std::size_t rows = (facts.size() + columns - 1) / columns;
    return first_row + row_height * static_cast<double>(rows);
  }
};

constexpr double kLabelBaseline = 11;
constexpr double kNoteDistance = 16;  ///< from the baseline of a value to the baseline of its note

double value_baseline(const Look& look) {
  return kLabelBaseline + 2 + look.value_size;
}

// Made for the height and again for drawing: it is cheap, and nothing has to be kept between the
// two.
HeaderLayout make_layout(const ScheduleFile& file, const Look& look) {
  HeaderLayout layout{.title = look.margin + 0.75 * look.title_size,
                      .lines = wrapped(subtitle(file), kNoteSize, look.room()),
                      .facts = facts(file)};
  layout.first_line = layout.title + kLineHeight + 4;
  const double below = layout.first_line + kLineHeight * static_cast<double>(layout.lines.size());
  layout.table = choose_table(layout.facts, look);
  layout.first_row = below + 4;
  layout.row_height = value_baseline(look) + kNoteDistance + 12;
  return layout;
}

}  // namespace

std::string schedule_title(const ScheduleFile& file) {
  if (!file.platform) return file.model.name;
  return fmt::format("{} on {}", file.model.name, file.platform->name);
}

double schedule_header_height(const ScheduleFile& file, const Look& look) {
  return make_layout(file, look).bottom();
}

void draw_schedule_header(SvgWriter& svg, const ScheduleFile& file, const Look& look) {
  const HeaderLayout layout = make_layout(file, look);
  const std::string title = schedule_title(file);
  svg.text(look.left(), layout.title, "title", shortened(title, look.title_size, look.room()),
           title);
  double baseline = layout.first_line;
  for (const std::string& line : layout.lines) {
    svg.text(look.left(), baseline, "note", line);
    baseline += kLineHeight;
  }
  const std::size_t columns = layout.table.widths.size();
  double x = look.left();
  for (std::size_t f = 0; f < layout.facts.size(); ++f) {
    const std::size_t column = f % columns;
    const std::size_t row = f / columns;
    if (column == 0) x = look.left();
    const Fact& fact = layout.facts[f];
    const double top = layout.first_row + layout.row_height * static_cast<double>(row);
    const double value = top + value_baseline(look);
    svg.text(x, top + kLabelBaseline, "note", fact.label);
    svg.text(x, value, "value", fact.value);
    svg.text(x, value + kNoteDistance, "note", fact.note);
    x += layout.table.widths[column] + layout.table.gap;
  }
}

}  // namespace poet::plot
