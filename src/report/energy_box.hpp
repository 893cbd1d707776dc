#pragma once

#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// The energy figures of a platform that lie within intervals, and a graph for each combination of
/// their ends. Corner c has figure k at its high end if bit k of c is set. The graphs differ in
/// energies alone.
struct EnergyBox {
  std::vector<FigureInterval> figures;
  std::vector<Graph> corners;
};

/// An energy figure at this end of its interval, or in the middle.
double figure_at(const FigureInterval& interval, EnergyEnd end);

/// The platform with its energy figures at these ends of their intervals.
Platform at_end(Platform platform, EnergyEnd end);

/// How the graphs of a model on a platform come about.
struct Pricing {
  const Model& model;  ///< in the order of the graphs
  const Platform& platform;
  double mem_power_scale = 1;
  bool paging = true;
};

/// The box of a platform; without figures and corners if it has no interval of energy.
EnergyBox energy_box(const Pricing& pricing);

/// What a schedule takes within the intervals of rates; absent if the platform has none. A time
/// falls if a rate rises, so two replays do.
std::optional<RuntimeRange> runtime_range(const Pricing& pricing, const Schedule& schedule,
                                          const Limits& limits);

/// The energies of a schedule at the corners of a box.
std::vector<Joules> energies_at(const EnergyBox& box, const Schedule& schedule,
                                const Limits& limits);

/// The largest excess of an energy over another one at the same corner, as a share of the other.
double largest_excess(const std::vector<Joules>& energies, const std::vector<Joules>& least);

/// The regret of a schedule, and the figure that decides, in a line for a message; empty if the
/// file states no range.
std::string uncertainty_line(const ScheduleFile& file);

}  // namespace poet
