#pragma once

#include <cstddef>

#include "pictures/curves.hpp"
#include "pictures/look.hpp"
#include "pictures/sweep_panel.hpp"

namespace poet::plot {

/// Where the panels of a sweep are: models side by side and platforms below each other, or the
/// other way round if that fits the page and this does not; if only one of them varies, or neither
/// fits, one panel after the other.
class PanelGrid {
 public:
  PanelGrid(const CurveSet& set, const Look& look);

  PanelPlace place(std::size_t panel, double top) const;
  double height() const;

 private:
  enum class Order { models_across, platforms_across, in_turn };
  struct Cell {
    std::size_t row = 0;
    std::size_t column = 0;
  };

  Cell cell(std::size_t panel) const;
  bool energy_in_column(std::size_t column) const;

  const CurveSet& set_;
  Look look_;
  Order order_ = Order::in_turn;
  std::size_t columns_ = 1;
  std::size_t rows_ = 0;
  double panel_width_ = 0;
  double panel_height_ = 0;
};

/// The width of a sweep's picture on a screen.
double sweep_screen_width(const CurveSet& set);

}  // namespace poet::plot
