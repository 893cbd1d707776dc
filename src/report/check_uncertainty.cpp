// What a schedule file states about the intervals of its platform, against what follows from the
// file and, if it is at hand, from the platform. The energies at the corners follow from it by
// replays. Bounds and other schedules do not, as little as the bound of the file itself does; but a
// bound may not be above an energy. Without the platform, the energies have to be linear in the
// figures all the same, and to agree with the energy of the file at its own point in the box.

#include <algorithm>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/simulate.hpp"
#include "report/claim.hpp"
#include "report/energy_box.hpp"
#include "report/file_order.hpp"
#include "report/summary.hpp"

namespace poet {
namespace {

using Found = std::vector<std::string>;

/// What the energy is linear in: a power, or the inverse of operations per joule.
double coordinate(std::string_view figure, double value) {
  return is_cheaper_if_higher(figure) ? 1 / value : value;
}

/// What the file states about figure k.
FigureInterval stated_interval(const EnergyRange& range, std::size_t k) {
  return {range.figures[k], range.low_ends[k], range.high_ends[k]};
}

bool has_form(const EnergyRange& range) {
  const std::size_t figures = range.figures.size();
  const std::size_t corners = std::size_t{1} << std::min(figures, kMaxEnergyIntervals);
  bool is_box = figures >= 1 && figures <= kMaxEnergyIntervals &&
                range.low_ends.size() == figures && range.high_ends.size() == figures;
  for (std::size_t k = 0; is_box && k < figures; ++k) {
    is_box = range.low_ends[k] > 0 && range.low_ends[k] < range.high_ends[k] &&
             is_energy_figure(range.figures[k]);
  }
  return is_box && range.schedule_joules.size() == corners &&
         range.found_joules.size() == corners && range.bound_joules.size() == corners;
}

/// The energies at the corners as sums of what each figure adds, and the energy at the file's own
/// point by the same sums.
void check_linear(Found& found, const EnergyRange& range, EnergyEnd at, Joules energy) {
  const std::vector<Joules>& joules = range.schedule_joules;
  Joules at_point = joules[0];
  for (std::size_t k = 0; k < range.figures.size(); ++k) {
    const auto at_value = [&](double value) { return coordinate(range.figures[k], value); };
    const Joules step = joules[std::size_t{1} << k] - joules[0];
    at_point += step *
                (at_value(figure_at(stated_interval(range, k), at)) - at_value(range.low_ends[k])) /
                (at_value(range.high_ends[k]) - at_value(range.low_ends[k]));
  }
  const Joules most = *std::max_element(joules.begin(), joules.end());
  if (!agree(at_point, energy, kFigureTolerance * most)) {
    const auto [is, should_be] = distinct(at_point, energy);
    found.push_back(fmt::format(
        "summary.energy_range.schedule_joules comes to {} J at the file's own point; the replay "
        "says {} J",
        is, should_be));
  }
  for (std::size_t c = 0; c < joules.size(); ++c) {
    Joules sum = joules[0];
    for (std::size_t k = 0; k < range.figures.size(); ++k) {
      if ((c >> k & 1) != 0) sum += joules[std::size_t{1} << k] - joules[0];
    }
    if (agree(sum, joules[c], kFigureTolerance * most)) continue;
    found.push_back(
        fmt::format("summary.energy_range.schedule_joules[{}] is {}; the other corners say {}", c,
                    joules[c], sum));
  }
}

void check_corners(Found& found, const EnergyRange& range) {
  for (std::size_t c = 0; c < range.schedule_joules.size(); ++c) {
    const double slack = 1 + kFigureTolerance;
    if (!(range.found_joules[c] <= range.schedule_joules[c] * slack)) {
      found.push_back(fmt::format(
          "summary.energy_range.found_joules[{}] is above the energy of the schedule there", c));
    }
    if (!(range.bound_joules[c] <= range.found_joules[c] * slack)) {
      found.push_back(
          fmt::format("summary.energy_range.bound_joules[{}] is above found_joules there", c));
    }
  }
  const auto compare = [&](const char* key, double is, double should_be) {
    if (agree(is, should_be, kFigureTolerance)) return;
    found.push_back(
        fmt::format("summary.energy_range.{} is {}; the corners say {}", key, is, should_be));
  };
  compare("regret_bound", range.regret_bound,
          largest_excess(range.schedule_joules, range.bound_joules));
  compare("regret_found", range.regret_found,
          largest_excess(range.schedule_joules, range.found_joules));
}

void check_box(Found& found, const EnergyRange& range, const EnergyBox& box,
               const ScheduleFile& file) {
  std::vector<FigureInterval> stated;
  for (std::size_t k = 0; k < range.figures.size(); ++k) {
    stated.push_back(stated_interval(range, k));
  }
  if (stated != box.figures) {
    found.emplace_back("summary.energy_range has other intervals than the platform");
    return;
  }
  const std::vector<Joules> energies = energies_at(box, file.schedule, file.request.limits);
  for (std::size_t c = 0; c < energies.size(); ++c) {
    if (agree(range.schedule_joules[c], energies[c])) continue;
    found.push_back(fmt::format(
        "summary.energy_range.schedule_joules[{}] is {}; the replay on the platform says {}", c,
        range.schedule_joules[c], energies[c]));
  }
}

void check_runtime(Found& found, const RuntimeRange& range, const ScheduleFile& file) {
  const Seconds runtime = file.summary.runtime_seconds;
  if (!(range.least_seconds <= runtime * (1 + kFigureTolerance) &&
        runtime <= range.most_seconds * (1 + kFigureTolerance))) {
    found.push_back(
        fmt::format("the runtime of {} s is outside of summary.runtime_range", runtime));
  }
  const bool keeps =
      within_runtime_budget(range.most_seconds, file.request.limits.runtime_budget_seconds);
  if (range.keeps_budget == keeps) return;
  found.push_back(fmt::format("summary.runtime_range.keeps_budget is {}; its most_seconds say {}",
                              range.keeps_budget, keeps));
}

void check_runtime_on(Found& found, const RuntimeRange& is, const std::optional<RuntimeRange>& by) {
  if (by && agree(is.least_seconds, by->least_seconds) &&
      agree(is.most_seconds, by->most_seconds)) {
    return;
  }
  found.emplace_back("summary.runtime_range is not what the platform says");
}

}  // namespace

void check_uncertainty(Found& found, const ScheduleFile& file, Joules energy, const Model* model,
                       const Platform* platform) {
  const auto& [energies, runtimes] = file.uncertainty;
  if (energies && !has_form(*energies)) {
    found.emplace_back(
        "summary.energy_range has not the form of a box; expected 1 to 4 energy figures with both "
        "ends, and 2, 4, 8 or 16 corners");
    return;
  }
  if (energies) {
    check_linear(found, *energies, file.request.at, energy);
    check_corners(found, *energies);
  }
  if (runtimes) check_runtime(found, *runtimes, file);
  if (model == nullptr || platform == nullptr) return;
  const std::optional<Model> in_order = in_order_of(file, *model, platform);
  if (!in_order) return;  // found by its order or its digest
  const Pricing pricing{.model = *in_order,
                        .platform = *platform,
                        .mem_power_scale = file.request.settings.mem_power_scale,
                        .paging = file.request.limits.techniques.paging};
  if (energies) check_box(found, *energies, energy_box(pricing), file);
  if (runtimes) {
    check_runtime_on(found, *runtimes, runtime_range(pricing, file.schedule, file.request.limits));
  }
}

}  // namespace poet
