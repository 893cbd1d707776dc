#include "app/place_unmoved.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/process_setup.hpp"
#include "app/progress.hpp"
#include "base/text/figures.hpp"
#include "poet/solve.hpp"
#include "report/other_schedule.hpp"
#include "sweep/watched_solve.hpp"

namespace poet::cli {
namespace {

/// The schedule of least energy within the file's limits, but this RAM budget.
SolveResult solve_within(const ScheduleFile& file, Bytes ram_budget_bytes, bool quiet) {
  Problem problem{.graph = file.graph, .limits = file.request.limits};
  problem.limits.ram_budget_bytes = ram_budget_bytes;
  ProgressLine line(quiet);
  SolveOptions options{.settings = file.request.settings};
  // Where there is another objective, the budgets of the file are what it came to.
  options.settings.objective = Objective::energy;
  options.progress = [&line](const Progress& progress) { line.show(progress); };
  options.interrupted = [] { return interrupted(); };
  SolveResult result = solve_watched(problem, options, solve);
  line.clear();
  return result;
}

void report_cost(const ScheduleFile& before, const PlacedSchedule& placed, Bytes budget,
                 const std::string& name) {
  const Joules was = before.summary.energy_joules;
  const Joules is = placed.file.summary.energy_joules;
  spdlog::warn(
      "{}: found no offsets that fit {} bytes without moves; solved again within {} bytes, for {} "
      "instead of {} ({})",
      name, placed.capacity_bytes, budget, format_joules(is), format_joules(was),
      change_text(was > 0 ? is / was - 1 : 0));
}

}  // namespace

PlacedSchedule place_unmoved(const ScheduleFile& schedule, PlaceOptions options,
                             const std::string& name, bool quiet) {
  options.moves = false;
  PlacedSchedule placed = place_schedule(schedule, options);
  if (placed.fits || placed.peak_bytes > placed.capacity_bytes) return placed;
  options.capacity_bytes = placed.capacity_bytes;
  Bytes budget = schedule.request.limits.ram_budget_bytes;
  catch_interrupts();
  while (!placed.fits && !interrupted()) {
    // The new schedule has a lower peak than the last one, so that this ends.
    const Bytes excess = placed.unmoved_bytes - placed.capacity_bytes;
    budget = std::min(budget, placed.file.summary.peak_ram_bytes) - excess;
    const SolveResult result =
        budget > 0 ? solve_within(schedule, budget, quiet) : SolveResult{.reason = "nothing fits"};
    if (!result.schedule) {
      spdlog::error("{}: no schedule is left within {} bytes: {}", name, budget, result.reason);
      return placed;
    }
    placed = place_schedule(with_other_schedule(schedule, result), options);
  }
  if (placed.fits) report_cost(schedule, placed, budget, name);
  return placed;
}

}  // namespace poet::cli
