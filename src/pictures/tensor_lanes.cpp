// The chart above shows how much is in RAM, the lanes which tensors, and what brought each of them
// there. Both have the same columns, so a peak above can be traced to the lanes below it. A lane
// has the colour of its band, a mark where a tensor is recomputed, and triangles where it leaves
// RAM and returns. Lanes get lower as they become more, and only as many labels are drawn as keep
// clear of each other, so that hundreds of tensors still make a picture of one page or two.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "pictures/schedule_page.hpp"
#include "pictures/style.hpp"

namespace poet::plot {
namespace {

constexpr double kLabelDistance = 11;                ///< least distance of two baselines
constexpr double kLabelReach = 0.6 * kSmallestSize;  ///< of a label, below the middle of its lane

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
      : svg_(svg),
        page_(page),
        top_(top),
        height_(lane_height(static_cast<int>(page.lanes.size()))) {}

  void draw() {
    const int count = static_cast<int>(page_.lanes.size());
    const int label_step = static_cast<int>(std::ceil(kLabelDistance / height_));
    for (int k = 0; k < count; k += label_step) draw_label(k);
    draw_grid(svg_, page_, top_, top_ + count * height_);
    for (int k = 0; k < count; ++k) draw_life(k);
  }

 private:
  double middle(int lane) const { return top_ + (lane + 0.5) * height_; }

  void draw_label(int k) {
    const int i = page_.lanes[k];
    const Node& node = page_.file.graph.nodes[i];
    const double baseline = middle(k) + 0.35 * kSmallestSize;
    const std::string name = lane_label(page_.file.graph, i);
    // The room is made for the widest name, so a rounded sum must not cut that one.
    const double room = page_.x.from() - kLaneLabelGap - page_.look.left() + 0.01;
    svg_.line(page_.x.from(), middle(k), page_.x.to(), middle(k), "grid");
    svg_.text(page_.x.from() - kLaneLabelGap, baseline, "lane end",
              shortened(name, kSmallestSize, room), describe(page_.file.graph, i));
    svg_.text(page_.x.to() + kLaneLabelGap, baseline, "lane", format_bytes(node.bytes));
  }

  // Lines for copies are drawn before the stay that follows them, whose mark lies on top.
  void draw_life(int k) {
    const Life& life = page_.timeline.lives[page_.lanes[k]];
    for (std::size_t s = 0; s < life.stays.size(); ++s) {
      const Stay& stay = life.stays[s];
      if (stay.arrival == Arrival::paged_in && s > 0) draw_stored(k, life.stays[s - 1], stay);
      draw_stay(k, stay);
    }
    for (const int column : life.page_outs) draw_page_out(k, column);
  }

  /// Between two stays: only the copy in secondary storage is left.
  void draw_stored(int k, const Stay& before, const Stay& after) {
    svg_.line(page_.x(before.last + 1), middle(k), page_.x(after.first), middle(k), "stored");
  }

  void draw_stay(int k, const Stay& stay) {
    const int i = page_.lanes[k];
    const double left = page_.x(stay.first);
    const double height = 0.7 * height_;
    const std::string tip = stay_tip(i, stay);
    svg_.element("rect",
                 {{"class", page_.stack.classes[i]},
                  {"x", left},
                  {"y", middle(k) - height / 2},
                  {"width", page_.x(stay.last + 1) - left},
                  {"height", height}},
                 tip);
    if (stay.arrival == Arrival::recomputed) draw_recomputation(k, stay.first, tip);
    if (stay.arrival == Arrival::paged_in) draw_triangle(k, left, false, tip);
  }

  // At least two pixels wide: a column may be narrower than anything that can be seen.
  void draw_recomputation(int k, int column, const std::string& tip) {
    const double left = page_.x(column);
    const double width = std::clamp(page_.x(column + 1) - left, 2.0, 4.0);
    svg_.element("rect",
                 {{"class", "ink"},
                  {"x", left},
                  {"y", middle(k) - height_ / 2},
                  {"width", width},
                  {"height", height_}},
                 tip);
  }

  void draw_page_out(int k, int column) {
    const int i = page_.lanes[k];
    draw_triangle(k, page_.x(column), true,
                  fmt::format("{}; paged out in stage {}, {}", describe(page_.file.graph, i),
                              page_.timeline.columns[column].stage,
                              format_joules(page_.file.graph.nodes[i].page_out_energy_joules)));
  }

  /// Points down for what leaves RAM, up for what returns.
  void draw_triangle(int k, double x, bool down, const std::string& tip) {
    const double size = std::clamp(0.5 * height_, 3.0, 5.0);
    svg_.element("path", {{"class", "mark"}, {"d", triangle(x, middle(k), size, down)}}, tip);
  }

  std::string stay_tip(int i, const Stay& stay) const {
    const Node& node = page_.file.graph.nodes[i];
    const int first = page_.timeline.columns[stay.first].stage;
    const int last = page_.timeline.columns[stay.last].stage;
    const auto tip = [&](const char* arrival, int stage, Joules energy) {
      return fmt::format("{}; {} in stage {}, {}; in RAM to stage {}",
                         describe(page_.file.graph, i), arrival, stage, format_joules(energy),
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

  bool overlapped() const {
    return page_.file.request.limits.paging_time == PagingTime::overlapped;
  }

  SvgWriter& svg_;
  const SchedulePage& page_;
  double top_;
  double height_;
};

}  // namespace

/// The label of the last lane may reach below it: low lanes are lower than their labels.
double tensor_lanes_height(const SchedulePage& page) {
  const int lanes = static_cast<int>(page.lanes.size());
  const double height = lane_height(lanes);
  return (lanes - 0.5) * height + std::max(0.5 * height, kLabelReach);
}

void draw_tensor_lanes(SvgWriter& svg, const SchedulePage& page, double top) {
  svg.open("g");
  Lanes(svg, page, top).draw();
  svg.close();
}

}  // namespace poet::plot
