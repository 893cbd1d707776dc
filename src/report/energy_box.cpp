// What an uncertain platform means for a schedule. The energy of a schedule is a sum of terms, each
// the product of a constant and either a power or the inverse of operations per joule, so it is
// linear in those. That makes the corners of the box enough for a regret:
// docs/platform-format.md has the proof.

#include "report/energy_box.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/simulate.hpp"

namespace poet {
namespace {

double end_of(const FigureInterval& interval, bool is_high_end) {
  return is_high_end ? interval.high : interval.low;
}

Graph graph_on(const Pricing& pricing, const Platform& platform) {
  return cost_graph(pricing.model, &platform, pricing.mem_power_scale, pricing.paging);
}

/// The first names of a list, and how many more there are.
std::string some_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", printable(names[i]));
  }
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

}  // namespace

double figure_at(const FigureInterval& interval, EnergyEnd end) {
  if (end == EnergyEnd::middle) return middle_of(interval);
  return end_of(interval, is_cheaper_if_higher(interval.figure) == (end == EnergyEnd::low));
}

Platform at_end(Platform platform, EnergyEnd end) {
  for (const FigureInterval& each : energy_intervals(platform)) {
    set_figure(platform, each.figure, figure_at(each, end));
  }
  return platform;
}

EnergyBox energy_box(const Pricing& pricing) {
  EnergyBox box{.figures = energy_intervals(pricing.platform), .corners = {}};
  if (box.figures.empty()) return box;
  for (std::size_t corner = 0; corner < std::size_t{1} << box.figures.size(); ++corner) {
    Platform platform = pricing.platform;
    for (std::size_t k = 0; k < box.figures.size(); ++k) {
      set_figure(platform, box.figures[k].figure, end_of(box.figures[k], (corner >> k & 1) != 0));
    }
    box.corners.push_back(graph_on(pricing, platform));
  }
  return box;
}

std::optional<RuntimeRange> runtime_range(const Pricing& pricing, const Schedule& schedule,
                                          const Limits& limits) {
  const std::vector<FigureInterval> rates = rate_intervals(pricing.platform);
  if (rates.empty()) return std::nullopt;
  const auto runtime_at = [&](bool is_high_end) {
    Platform platform = pricing.platform;
    for (const FigureInterval& each : rates) {
      set_figure(platform, each.figure, end_of(each, is_high_end));
    }
    return simulate(graph_on(pricing, platform), schedule, limits).runtime_seconds;
  };
  RuntimeRange range{.least_seconds = runtime_at(true), .most_seconds = runtime_at(false)};
  range.keeps_budget = within_runtime_budget(range.most_seconds, limits.runtime_budget_seconds);
  return range;
}

std::vector<Joules> energies_at(const EnergyBox& box, const Schedule& schedule,
                                const Limits& limits) {
  std::vector<Joules> energies;
  for (const Graph& graph : box.corners) {
    energies.push_back(simulate(graph, schedule, limits).energy_joules);
  }
  return energies;
}

double largest_excess(const std::vector<Joules>& energies, const std::vector<Joules>& least) {
  double largest = 0;
  for (std::size_t c = 0; c < energies.size(); ++c) {
    if (least[c] > 0) largest = std::max(largest, energies[c] / least[c] - 1);
  }
  return largest;
}

std::string uncertainty_line(const ScheduleFile& file) {
  if (!file.uncertainty.energy_range) return {};
  const EnergyRange& range = *file.uncertainty.energy_range;
  std::string text = fmt::format(
      "anywhere within the intervals of the platform's energy figures, the schedule costs at most "
      "{:.2g} % more than the best, and {:.2g} % more at one of their ends; ",
      100 * range.regret_bound, 100 * range.regret_found);
  if (range.deciding_figure.empty()) return text + "no figure decides about a node";
  return text + fmt::format(
                    "{} decides about {}: its other end has them paged or recomputed "
                    "otherwise",
                    printable(range.deciding_figure), some_names(range.deciding_nodes));
}

}  // namespace poet
