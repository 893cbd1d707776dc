// What a file claims beyond its replay: a bound, a status, an exit code. Nobody can compute a bound
// from a schedule, so the checks look for contradictions alone: a bound above what was replayed, a
// proof of a gap that the figures do not have, a certificate for less than is stated. A certificate
// is a file of its own, and `poet-check` reads it.

#include "report/claim.hpp"

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/certify.hpp"
#include "report/fields.hpp"
#include "report/summary.hpp"

namespace poet {
namespace {

/// Rounding that is allowed when a gap is compared with the gap asked for.
constexpr double kGapTolerance = 1e-9;

/// The relative gap of what the objective names, if that is not the energy; 1 without a bound.
double objective_gap(const ScheduleFile& file) {
  const auto gap = [](double figure, const auto& bound) {
    if (!bound) return 1.0;
    return figure > 0 ? (figure - static_cast<double>(*bound)) / figure : 0.0;
  };
  switch (file.request.settings.objective) {
    case Objective::runtime:
      return gap(file.summary.runtime_seconds, file.bounds.runtime_lower_bound_seconds);
    case Objective::ram:
      return gap(static_cast<double>(file.summary.peak_ram_bytes),
                 file.bounds.ram_lower_bound_bytes);
    case Objective::energy:
      break;
  }
  return 0;
}

}  // namespace

bool objective_is_proven(const ScheduleFile& file) {
  return objective_gap(file) <= file.request.settings.gap + kGapTolerance;
}

namespace {

void check_objective(std::vector<std::string>& found, const ScheduleFile& file) {
  const ObjectiveBounds& bounds = file.bounds;
  const Seconds runtime = file.summary.runtime_seconds;
  if (bounds.runtime_lower_bound_seconds &&
      !(*bounds.runtime_lower_bound_seconds <= runtime * (1 + kFigureTolerance))) {
    const auto [low, high] = distinct(*bounds.runtime_lower_bound_seconds, runtime);
    found.push_back(fmt::format("the lower bound of {} s is above the runtime of {} s", low, high));
  }
  if (bounds.ram_lower_bound_bytes && *bounds.ram_lower_bound_bytes > file.summary.peak_ram_bytes) {
    found.push_back(fmt::format("the lower bound of {} bytes of RAM is above the peak of {} bytes",
                                *bounds.ram_lower_bound_bytes, file.summary.peak_ram_bytes));
  }
  if (file.request.settings.objective == Objective::energy &&
      (bounds.runtime_lower_bound_seconds || bounds.ram_lower_bound_bytes)) {
    found.emplace_back("there is a bound of another objective, but the objective is the energy");
  }
  if (file.status == Status::optimal && !objective_is_proven(file)) {
    found.push_back(fmt::format("status is optimal, but the least {} is not proven within {}",
                                name_of(file.request.settings.objective),
                                file.request.settings.gap));
  }
}

/// The certificate itself is not at hand.
void check_certified(std::vector<std::string>& found, const ScheduleFile& file, Joules energy) {
  const CertifiedFigures& figures = file.certificate;
  const std::optional<Joules>& bound = figures.certified_bound_joules;
  if (bound && !figures.certified) {
    found.emplace_back("certified_bound_joules is there without certified");
  }
  if (bound && !(*bound <= energy * (1 + kFigureTolerance))) {
    const auto [low, high] = distinct(*bound, energy);
    found.push_back(
        fmt::format("the certified bound of {} J is above the energy of {} J", low, high));
  }
  if (!figures.certified.value_or(false)) return;
  const Joules claim = certifiable_claim(file.graph, energy, file.summary.lower_bound_joules);
  if (bound && *bound >= claim * (1 - kFigureTolerance)) return;
  found.push_back(fmt::format("certified is true, but the certified bound is {}; expected {} J",
                              bound ? fmt::format("{} J", *bound) : "missing", claim));
}

}  // namespace

void check_claim(std::vector<std::string>& found, const ScheduleFile& file, Joules energy) {
  const Joules bound = file.summary.lower_bound_joules;
  if (!(bound <= energy * (1 + kFigureTolerance))) {
    const auto [low, high] = distinct(bound, energy);
    found.push_back(fmt::format("the lower bound of {} J is above the energy of {} J", low, high));
  }
  const double gap = energy > 0 ? (energy - bound) / energy : 0;
  if (file.status == Status::optimal && !(gap <= file.request.settings.gap + kGapTolerance)) {
    const auto [is, asked] = distinct(gap, file.request.settings.gap);
    found.push_back(
        fmt::format("status is optimal, but the gap of {} is above the {} asked for", is, asked));
  }
  check_objective(found, file);
  check_certified(found, file, energy);
  if (file.status != Status::optimal && file.status != Status::feasible) {
    found.push_back(
        fmt::format("status is {}; expected optimal or feasible for a file with a schedule",
                    name_of(file.status)));
  }
  if (file.code != ExitCode::ok && file.code != ExitCode::requirement &&
      file.code != ExitCode::interrupted) {
    found.push_back(fmt::format("code is {}; expected 0, 5 or 130 for a file with a schedule",
                                static_cast<int>(file.code)));
  }
  if (file.code == ExitCode::requirement && file.status == Status::optimal) {
    found.emplace_back("code is 5, which is for a schedule that is not proven; status is optimal");
  }
}

}  // namespace poet
