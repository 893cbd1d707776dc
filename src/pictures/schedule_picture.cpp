// The whole picture of a schedule, part by part from the top down. Each part says how high it will
// be before it is drawn, as an SVG states its height in its first element; drawing everything twice
// to find it out would be the other way. Parts are left out by options and never shrunk, so that
// two pictures of one width can be laid side by side.

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "pictures/legend.hpp"
#include "pictures/schedule_page.hpp"
#include "pictures/schedule_style.hpp"
#include "pictures/style.hpp"
#include "poet/plot.hpp"

namespace poet {
namespace {

using plot::LegendEntry;
using plot::Look;
using plot::SvgWriter;

constexpr double kGap = 16;
constexpr double kBandEntryWidth = 190;
constexpr std::size_t kMostBandsPerRow = 5;

// Equal columns, as the names of bands are compared with the chart and with each other.
std::size_t bands_per_row(const Look& look) {
  return std::min(kMostBandsPerRow, static_cast<std::size_t>(look.room() / kBandEntryWidth));
}

/// What colours mean, and what a hatch means. Colours of kinds of layers are the same in both
/// passes, so they are listed once.
std::vector<LegendEntry> band_legend(const plot::SchedulePage& page) {
  std::vector<LegendEntry> entries;
  std::set<std::string> kinds;
  for (const plot::Band& band : page.stack.bands) {
    if (page.stack.by_kind && !kinds.insert(band.name).second) continue;
    const std::string size =
        band.node < 0 ? "" : ", " + format_bytes(page.file.graph.nodes[band.node].bytes);
    entries.push_back(plot::patch_entry(band.css_class, band.name + size));
  }
  if (page.timeline.boundary >= 0) {
    entries.push_back(plot::patch_entry(plot::kRestBackwardClass, "hatched: backward pass"));
  }
  return entries;
}

LegendEntry triangle_entry(bool down, const char* text) {
  return {[down](SvgWriter& svg, double x, double y) {
            svg.element("path", {{"class", "mark"}, {"d", plot::triangle(x, y, 5, down)}});
          },
          text};
}

/// The marks that the lanes have.
std::vector<LegendEntry> lane_legend(const plot::SchedulePage& page) {
  bool recomputed = false;
  bool paged_out = false;
  bool paged_in = false;
  for (const int i : page.lanes) {
    const Life& life = page.timeline.lives[i];
    paged_out = paged_out || !life.page_outs.empty();
    for (const Stay& stay : life.stays) {
      recomputed = recomputed || stay.arrival == Arrival::recomputed;
      paged_in = paged_in || stay.arrival == Arrival::paged_in;
    }
  }
  std::vector<LegendEntry> entries{
      plot::patch_entry(plot::kRestClass, "in RAM (colours as above)")};
  if (recomputed) {
    entries.push_back(
        {[](SvgWriter& svg, double x, double y) {
           svg.element(
               "rect",
               {{"class", "ink"}, {"x", x - 2}, {"y", y - 7}, {"width", 4}, {"height", 14}});
         },
         "recomputed"});
  }
  if (paged_out) entries.push_back(triangle_entry(true, "paged out"));
  if (paged_in) {
    entries.push_back({[](SvgWriter& svg, double x, double y) {
                         svg.line(x - plot::kMarkWidth / 2, y, x + plot::kMarkWidth / 2, y,
                                  "stored");
                       },
                       "in storage only"});
    entries.push_back(triangle_entry(false, "paged in"));
  }
  return entries;
}

const char* lane_subject(LaneChoice choice) {
  switch (choice) {
    case LaneChoice::all:
      return "Every tensor";
    case LaneChoice::forward:
      return "Tensors of the forward pass";
    case LaneChoice::changed:
      return "Tensors that are recomputed or paged";
    case LaneChoice::none:
      break;
  }
  return "";
}

/// A column of text has no room for the order.
std::string lane_heading(const ScheduleFile& file, LaneChoice choice, const Look& look) {
  const std::string heading = fmt::format(
      "{}, {}", lane_subject(choice),
      file.model.order.empty() ? "in the order of the network" : "in the order that was chosen");
  constexpr double kOfBoldHeading = 1.15;  // estimates are for text of usual weight
  const bool fits =
      kOfBoldHeading * plot::estimated_width(heading, plot::kStrongSize) <= look.room();
  return fits ? heading : lane_subject(choice);
}

/// Draws the picture from the top down; `y` is where the next part begins.
class ScheduleDrawing {
 public:
  ScheduleDrawing(const plot::SchedulePage& page, const PictureOptions& options)
      : page_(page), look_(page.look), options_(options), bands_(band_legend(page)) {
    if (options.lanes != LaneChoice::none) marks_ = lane_legend(page);
  }

  // The order of the parts is the order of the questions: does it fit, what does it cost, what
  // happens to which tensor.
  std::string draw() {
    SvgWriter svg(
        look_, height(), plot::schedule_title(page_.file),
        fmt::format("RAM over time, the energy as it adds up, and the life of tensors, in one {}",
                    step_word(page_.file)),
        plot::schedule_style_sheet(look_));
    plot::write_schedule_patterns(svg);
    if (options_.title) plot::draw_schedule_header(svg, page_.file, look_);
    double y = header_bottom();
    if (options_.beside_baseline) {
      plot::draw_heading(svg, look_, y,
                         "RAM in one step: colours, as scheduled; grey, if everything is kept");
      y += plot::kHeadingHeight;
      plot::draw_memory_chart(svg, page_, y);
      return svg.finish();
    }
    plot::draw_heading(svg, look_, y,
                       page_.stack.by_kind ? "RAM by kind of layer, from the bottom up"
                                           : "RAM by tensor, from the bottom up");
    y += plot::kHeadingHeight;
    plot::draw_legend(svg, bands_, bands_per_row(look_), look_.left(), look_.right(), y);
    y += plot::legend_height(bands_.size(), bands_per_row(look_)) + kGap / 2;
    plot::draw_memory_chart(svg, page_, y);
    y += plot::memory_chart_height(page_) + kGap;
    plot::draw_energy_chart(svg, page_, y);
    y += plot::energy_chart_height(page_);
    plot::draw_column_numbers(svg, page_.x, page_.ticks, options_.columns, y);
    if (options_.lanes != LaneChoice::none) draw_lanes(svg, y + plot::kColumnNumbersHeight + kGap);
    return svg.finish();
  }

 private:
  double header_bottom() const {
    if (!options_.title) return look_.margin;
    return plot::schedule_header_height(page_.file, look_) + kGap / 2;
  }

  double height() const {
    if (options_.beside_baseline) {
      return header_bottom() + plot::kHeadingHeight + plot::memory_chart_height(page_) +
             look_.margin;
    }
    double y = header_bottom() + plot::kHeadingHeight +
               plot::legend_height(bands_.size(), bands_per_row(look_)) + kGap / 2 +
               plot::memory_chart_height(page_) + kGap + plot::energy_chart_height(page_) +
               plot::kColumnNumbersHeight + look_.margin;
    if (options_.lanes != LaneChoice::none) y += lanes_height();
    return y;
  }

  double marks_height() const { return plot::legend_rows_height(marks_, look_.room()); }

  double lanes_height() const {
    const double rows = page_.lanes.empty()
                            ? plot::kLegendRowHeight
                            : marks_height() + kGap / 2 + plot::tensor_lanes_height(page_);
    return kGap + plot::kHeadingHeight + rows;
  }

  // Without a lane there is a line that says so, as an empty space would look like a mistake.
  void draw_lanes(SvgWriter& svg, double y) const {
    plot::draw_heading(svg, look_, y, lane_heading(page_.file, options_.lanes, look_).c_str());
    y += plot::kHeadingHeight;
    if (page_.lanes.empty()) {
      svg.text(look_.left(), y + plot::kNoteSize, "note", "None.");
      return;
    }
    plot::draw_legend_rows(svg, marks_, look_.left(), look_.right(), y);
    plot::draw_tensor_lanes(svg, page_, y + marks_height() + kGap / 2);
  }

  const plot::SchedulePage& page_;
  const Look& look_;
  const PictureOptions& options_;
  std::vector<LegendEntry> bands_;
  std::vector<LegendEntry> marks_;
};

}  // namespace

std::string schedule_svg(const ScheduleFile& file, const PictureOptions& options) {
  const plot::SchedulePage page = plot::make_schedule_page(file, options);
  return ScheduleDrawing(page, options).draw();
}

}  // namespace poet
