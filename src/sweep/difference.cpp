// What differs between two points as figures before and now: sentences for a log, columns for a
// table, and the limits that a project sets for a rise.
//
// A limit is a share of the baseline's figure. In absolute units it would have to be written anew
// for each model of a sweep, while "5 % more RAM is fine, more is a decision" holds for all of
// them. It holds across changed graphs as well: that is when a project wants a number and not a
// verdict, since a grown network may cost more, but not without somebody noticing.

#include "sweep/difference.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/units.hpp"

namespace poet {
namespace {

/// A rise to exactly the limit is within it, however 1 + limit is rounded.
constexpr double kRoundingOfLimits = 1e-12;

ChangedFigure number_change(const char* what, double before, double now, const char* unit) {
  const auto [was, is] = distinct(before, now);
  return {.what = what,
          .before = fmt::format("{} {}", was, unit),
          .now = fmt::format("{} {}", is, unit),
          .change = before > 0 ? change_text(now / before - 1, 4) : "from nothing"};
}

/// Every byte is shown.
ChangedFigure bytes_change(const char* what, Bytes before, Bytes now) {
  ChangedFigure figure =
      number_change(what, static_cast<double>(before), static_cast<double>(now), "bytes");
  figure.before = fmt::format("{} bytes", before);
  figure.now = fmt::format("{} bytes", now);
  return figure;
}

std::string peak_text(const SweepRow& row) {
  return row.summary ? fmt::format("{} bytes", row.summary->peak_ram_bytes) : "none";
}

std::string energy_text(const SweepRow& row) {
  return row.summary ? format_joules(row.summary->energy_joules) : "none";
}

}  // namespace

// A bare 5 could be a factor, a share or percent; nobody should have to guess in a build file.
double parse_increase(const std::string& text) {
  const bool percent = text.ends_with('%');
  const auto number = parse_number(text.substr(0, text.size() - (percent ? 1 : 0)));
  if (!percent || !number || !std::isfinite(*number) || *number < 0) {
    throw InputError(
        fmt::format("found '{}'; expected a percentage of 0 or more, such as 5%", printable(text)));
  }
  return *number / 100;
}

bool proven(const SweepRow& row) {
  return row.status == SweepRow::Status::optimal || row.status == SweepRow::Status::infeasible;
}

std::string status_text(const SweepRow& row) {
  std::string text(name_of(row.status));
  if (row.summary) text += fmt::format(" ({})", gap_text(row.summary->gap, row.summary->gap_extra));
  if (!row.summary && !row.reason.empty()) text += fmt::format(" ({})", row.reason);
  return text;
}

std::string figure_text(const ChangedFigure& figure) {
  return fmt::format("{} {} -> {}{}", figure.what, figure.before, figure.now,
                     figure.change.empty() ? "" : fmt::format(" ({})", figure.change));
}

ChangedFigure energy_change(Joules before, Joules now) {
  return number_change("energy", before, now, "J");
}

ChangedFigure peak_ram_change(Bytes before, Bytes now) {
  return bytes_change("peak RAM", before, now);
}

ChangedFigure runtime_change(Seconds before, Seconds now) {
  return number_change("runtime", before, now, "s");
}

ChangedFigure status_change(const char* what, const SweepRow& before, const SweepRow& now) {
  return {.what = what, .before = status_text(before), .now = status_text(now), .change = {}};
}

std::vector<ChangedFigure> changed_figures(const SweepRow& before, const SweepRow& now) {
  std::vector<ChangedFigure> figures{status_change("proof", before, now)};
  const auto& was = before.problem.limits.ram_budget_bytes;
  const auto& is = now.problem.limits.ram_budget_bytes;
  if (was != is) {
    figures.push_back(bytes_change("RAM budget", was, is));
  }
  if (before.summary && now.summary) {
    figures.push_back(energy_change(before.summary->energy_joules, now.summary->energy_joules));
    figures.push_back(peak_ram_change(before.summary->peak_ram_bytes, now.summary->peak_ram_bytes));
    figures.push_back(
        runtime_change(before.summary->runtime_seconds, now.summary->runtime_seconds));
  } else {
    figures.push_back({"energy", energy_text(before), energy_text(now), ""});
    figures.push_back({"peak RAM", peak_text(before), peak_text(now), ""});
  }
  return figures;
}

std::vector<Excess> excesses(const SweepRow& before, const SweepRow& now,
                             const IncreaseLimits& limits) {
  std::vector<Excess> found;
  const auto check = [&](Difference::Kind kind, double was, double is,
                         const std::optional<double>& limit, const ChangedFigure& figure) {
    if (!limit || is <= was * (1 + *limit) * (1 + kRoundingOfLimits)) return;
    const auto [rise, allowed] = distinct(100 * (is / was - 1), 100 * *limit);
    const bool open = kind == Difference::Kind::energy && now.status == SweepRow::Status::feasible;
    found.push_back(
        {.kind = kind,
         .figure = figure,
         .message = fmt::format("{} {}, limit +{} % ({} -> {}{})", figure.what,
                                was > 0 ? "+" + rise + " %" : figure.change, allowed, figure.before,
                                figure.now, open ? ", " + gap_text(now.summary->gap) : "")});
  };
  const auto check_bytes = [&](const char* what, Bytes was, Bytes is,
                               const std::optional<double>& limit) {
    check(Difference::Kind::ram, static_cast<double>(was), static_cast<double>(is), limit,
          bytes_change(what, was, is));
  };
  const Summary& was = *before.summary;
  const Summary& is = *now.summary;
  check(Difference::Kind::energy, was.energy_joules, is.energy_joules, limits.energy,
        energy_change(was.energy_joules, is.energy_joules));
  check_bytes("RAM budget", before.problem.limits.ram_budget_bytes,
              now.problem.limits.ram_budget_bytes, limits.ram_budget);
  check_bytes("peak RAM", was.peak_ram_bytes, is.peak_ram_bytes, limits.peak_ram);
  check(Difference::Kind::runtime, was.runtime_seconds, is.runtime_seconds, limits.runtime,
        runtime_change(was.runtime_seconds, is.runtime_seconds));
  return found;
}

}  // namespace poet
