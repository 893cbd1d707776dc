// Where panels stand. Two things that vary make a matrix, so that a model is compared across
// platforms in one line of sight; its shape follows from the width of the page. Without room for a
// matrix, or with one thing that varies, panels follow each other. All panels have one size, with
// room for the most marks that any of them has under its axis.

#include "pictures/sweep_grid.hpp"

#include <algorithm>

namespace poet::plot {
namespace {

constexpr double kPanelGap = 20;
constexpr double kLeastWidth = 230;        ///< of a panel in a matrix
constexpr double kUsualWidth = 380;        ///< of one in a row
constexpr double kWidthWithTwoAxes = 330;  ///< narrower ones have no room for joules as well

double panel_width(const Look& look, std::size_t columns) {
  const auto count = static_cast<double>(columns);
  return (look.room() - (count - 1) * kPanelGap) / count;
}

bool fits(const Look& look, std::size_t columns) {
  return panel_width(look, columns) >= kLeastWidth;
}

/// Four panels make a square rather than a row of three and one that is left.
std::size_t columns_in_turn(const Look& look, std::size_t panels) {
  const auto most = static_cast<std::size_t>(std::max(1.0, look.room() / kUsualWidth));
  return panels == 4 ? std::min<std::size_t>(most, 2)
                     : std::max<std::size_t>(1, std::min(most, panels));
}

// A panel in a row is lower than one that stands alone, and lower on paper than on a screen.
double height_of(const Look& look, std::size_t columns) {
  if (look.narrow()) return 230;
  if (columns == 1) return look.width_mm ? 330 : 450;
  return look.width_mm ? 260 : 330;
}

std::size_t index_of(const std::vector<std::string>& words, const std::string& word) {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

}  // namespace

PanelGrid::PanelGrid(const CurveSet& set, const Look& look) : set_(set), look_(look) {
  const std::size_t models = set.models.size();
  const std::size_t platforms = set.platforms.size();
  const bool matrix = models > 1 && platforms > 1;
  if (matrix && fits(look, models)) {
    order_ = Order::models_across;
    columns_ = models;
    rows_ = platforms;
  } else if (matrix && fits(look, platforms)) {
    order_ = Order::platforms_across;
    columns_ = platforms;
    rows_ = models;
  } else {
    columns_ = columns_in_turn(look, set.panels.size());
    rows_ = (set.panels.size() + columns_ - 1) / columns_;
  }
  panel_width_ = panel_width(look, columns_);
  double gaps = 0;
  for (const Panel& panel : set.panels) gaps = std::max(gaps, gap_rows_height(set, panel));
  panel_height_ = height_of(look, columns_) + gaps;
}

PanelGrid::Cell PanelGrid::cell(std::size_t panel) const {
  if (order_ == Order::in_turn) return {.row = panel / columns_, .column = panel % columns_};
  const std::size_t model = index_of(set_.models, set_.panels[panel].model);
  const std::size_t platform = index_of(set_.platforms, set_.panels[panel].platform);
  return order_ == Order::models_across ? Cell{.row = platform, .column = model}
                                        : Cell{.row = model, .column = platform};
}

PanelPlace PanelGrid::place(std::size_t panel, double top) const {
  const Cell at = cell(panel);
  const double left = look_.left() + static_cast<double>(at.column) * (panel_width_ + kPanelGap);
  const double y = top + static_cast<double>(at.row) * (panel_height_ + kPanelGap);
  return {
      .place = {.left = left, .top = y, .right = left + panel_width_, .bottom = y + panel_height_},
      .overhead_title = at.column == 0,
      .has_energy_axis = panel_width_ >= kWidthWithTwoAxes && energy_in_column(at.column)};
}

/// Panels below each other are equally wide, so all of them make room for the axis if one has it.
bool PanelGrid::energy_in_column(std::size_t column) const {
  for (std::size_t panel = 0; panel < set_.panels.size(); ++panel) {
    if (cell(panel).column == column && has_energy_ticks(set_, set_.panels[panel])) return true;
  }
  return false;
}

double PanelGrid::height() const {
  if (rows_ == 0) return 0;
  return static_cast<double>(rows_) * (panel_height_ + kPanelGap) - kPanelGap;
}

double sweep_screen_width(const CurveSet& set) {
  return set.panels.size() > 1 ? 1188 : 948;
}

}  // namespace poet::plot
