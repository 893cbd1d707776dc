// The chart above shows how much is in RAM, the lanes which tensors, and what brought each of them
// there. Both have the same columns, so a peak above can be traced to the lanes below it.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "pictures/schedule_page.hpp"
#include "pictures/style.hpp"

namespace poet::plot {
namespace {

constexpr double kLabelSize = 10;
constexpr double kLabelDistance = 11;  ///< least distance of two baselines
constexpr double kLabelWidth = 170;

/// Many tensors get low lanes, as far as the marks can still be told apart.
double lane_height(int tensors) {
  struct Step {
    int most_tensors;
    double height;
  };
  constexpr std::array<Step, 3> kSteps{{{45, 15}, {100, 11}, {200, 8}}};
  for (const Step& step : kSteps) {
    if (tensors <= step.most_tensors) return step.height;
  }
  return 6;
}

/// Draws the lanes from the top down.
class Lanes {
 public:
  Lanes(SvgWriter& svg, const SchedulePage& page, double top)
      : svg_(svg), page_(page), top_(top), height_(lane_height(page.report.graph.size())) {}

  void draw() {
    const int count = page_.report.graph.size();
    const int label_step = static_cast<int>(std::ceil(kLabelDistance / height_));
    for (int i = 0; i < count; i += label_step) draw_label(i);
    draw_grid(svg_, page_, top_, top_ + count * height_);
    for (int i = 0; i < count; ++i) draw_life(i);
  }

 private:
  double middle(int node) const { return top_ + (node + 0.5) * height_; }

  void draw_label(int i) {
    const Node& node = page_.report.graph.nodes[i];
    const double baseline = middle(i) + 0.35 * kLabelSize;
    const std::string name = fmt::format("{} {}", i, node.name);
    svg_.line(page_.x.from, middle(i), page_.x.to, middle(i), "grid");
    svg_.text(page_.x.from - 8, baseline, "lane end", shortened(name, kLabelSize, kLabelWidth),
              describe(page_.report.graph, i));
    svg_.text(page_.x.to + 8, baseline, "lane", format_bytes(node.bytes));
  }

  void draw_life(int i) {
    const Life& life = page_.timeline.lives[i];
    for (std::size_t s = 0; s < life.stays.size(); ++s) {
      const Stay& stay = life.stays[s];
      if (stay.arrival == Arrival::paged_in && s > 0) draw_stored(i, life.stays[s - 1], stay);
      draw_stay(i, stay);
    }
    for (const int column : life.page_outs) draw_page_out(i, column);
  }

  /// Between two stays: only the copy in secondary storage is left.
  void draw_stored(int i, const Stay& before, const Stay& after) {
    svg_.line(page_.x(before.last + 1), middle(i), page_.x(after.first), middle(i), "stored");
  }

  void draw_stay(int i, const Stay& stay) {
    const double left = page_.x(stay.first);
    const double height = 0.7 * height_;
    const std::string tip = stay_tip(i, stay);
    svg_.element("rect",
                 {{"class", page_.stack.classes[i]},
                  {"x", left},
                  {"y", middle(i) - height / 2},
                  {"width", page_.x(stay.last + 1) - left},
                  {"height", height}},
                 tip);
    if (stay.arrival == Arrival::recomputed) draw_recomputation(i, left, tip);
    if (stay.arrival == Arrival::paged_in) draw_triangle(i, left, false, tip);
  }

  void draw_recomputation(int i, double left, const std::string& tip) {
    const double width = std::clamp(page_.x(1) - page_.x(0), 2.0, 4.0);
    svg_.element("rect",
                 {{"class", "ink"},
                  {"x", left},
                  {"y", middle(i) - height_ / 2},
                  {"width", width},
                  {"height", height_}},
                 tip);
  }

  void draw_page_out(int i, int column) {
    draw_triangle(i, page_.x(column), true,
                  fmt::format("{}; paged out in stage {}, {}", describe(page_.report.graph, i),
                              page_.timeline.columns[column].stage,
                              format_joules(page_.report.graph.nodes[i].page_out_energy_joules)));
  }

  /// Points down for what leaves RAM, up for what returns.
  void draw_triangle(int i, double x, bool down, const std::string& tip) {
    const double size = std::clamp(0.5 * height_, 3.0, 5.0);
    svg_.element("path", {{"class", "mark"}, {"d", triangle(x, middle(i), size, down)}}, tip);
  }

  std::string stay_tip(int i, const Stay& stay) const {
    const Node& node = page_.report.graph.nodes[i];
    const int first = page_.timeline.columns[stay.first].stage;
    const int last = page_.timeline.columns[stay.last].stage;
    const auto tip = [&](const char* arrival, int stage, Joules energy) {
      return fmt::format("{}; {} in stage {}, {}; in RAM to stage {}",
                         describe(page_.report.graph, i), arrival, stage, format_joules(energy),
                         last);
    };
    switch (stay.arrival) {
      case Arrival::computed:
        return tip("computed", first, node.energy_joules);
      case Arrival::recomputed:
        return tip("recomputed", first, node.energy_joules);
      case Arrival::paged_in:
        // Beside computations it has its RAM from the start of the stage that reads it back.
        return tip("paged in", overlapped() ? first : first - 1, node.page_in_energy_joules);
    }
    return {};
  }

  bool overlapped() const { return page_.report.request.paging_time == PagingTime::overlapped; }

  SvgWriter& svg_;
  const SchedulePage& page_;
  double top_;
  double height_;
};

}  // namespace

double tensor_lanes_height(const SchedulePage& page) {
  return page.report.graph.size() * lane_height(page.report.graph.size());
}

void draw_tensor_lanes(SvgWriter& svg, const SchedulePage& page, double top) {
  svg.open("g");
  Lanes(svg, page, top).draw();
  svg.close();
}

}  // namespace poet::plot
