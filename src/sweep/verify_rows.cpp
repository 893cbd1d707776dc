// The rows of a sweep against what docs/sweep-format.md promises of them: what one row states about
// its limits binds all rows of the same graph. A row by itself can be checked only against its
// file. Between rows there is more: a schedule that fits another row's limits is a schedule there,
// so no bound may be above it and no `infeasible` beside it. Such checks need no solver and no
// model, and find figures that somebody has edited by hand, in files whose schedules are all valid.
// They compare all pairs of rows.

#include "sweep/verify_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "report/compare_fields.hpp"
#include "report/summary.hpp"
#include "solver/incumbent.hpp"
#include "sweep/dominance.hpp"
#include "sweep/row_groups.hpp"

namespace poet {
namespace {

/// Whether the schedules of one row mean the same in the other.
bool same_graph(const SweepRow& a, const SweepRow& b) {
  return a.problem.graph_sha256 == b.problem.graph_sha256 &&
         a.problem.limits.paging_time == b.problem.limits.paging_time;
}

/// Whether the proofs of one row mean something in the other.
bool same_order(const SweepRow& a, const SweepRow& b) {
  return same_graph(a, b) && a.problem.order_sha256 == b.problem.order_sha256;
}

/// Only a search gives the rows of a sweep several orders, or sets of copies, and it says of all of
/// them that there is no schedule; of copies, the sets of its mode and of narrower ones.
bool excludes(const SweepRow& infeasible, const SweepRow& other) {
  return same_order(infeasible, other) ||
         (infeasible.problem.order_sha256.empty() &&
          other.problem.copies.mode <= infeasible.problem.copies.mode);
}

}  // namespace

// Rows carry no name of their sweep; that numbers begin again at 0 is what tells two of them apart.
std::vector<std::span<const SweepRow>> split_sweeps(std::span<const SweepRow> rows) {
  std::vector<std::span<const SweepRow>> sweeps;
  while (!rows.empty()) {
    const auto next = std::find_if(rows.begin() + 1, rows.end(),
                                   [](const SweepRow& row) { return row.point == 0; });
    const auto count = static_cast<std::size_t>(next - rows.begin());
    sweeps.push_back(rows.first(count));
    rows = rows.subspan(count);
  }
  return sweeps;
}

RowVerifier::RowVerifier(std::span<const SweepRow> rows) : rows_(rows), replays_(rows.size()) {}

// One graph for each digest is kept, as hundreds of files may be about the same one.
void RowVerifier::add(std::size_t row, const ScheduleFile& file) {
  const PagingTime paging_time = file.request.limits.paging_time;
  replays_[row] = replay_without_limits(file.graph, file.schedule, paging_time);
  const std::string digest = graph_sha256(file.graph, paging_time);
  if (graphs_.contains(digest)) return;
  graphs_.emplace(digest, KnownGraph{.graph = file.graph, .base = baseline(file.graph)});
}

const RowVerifier::KnownGraph* RowVerifier::graph_of(const SweepRow& row) const {
  const RowProblem& problem = row.problem;
  const auto found =
      graphs_.find(problem.order_sha256.empty() ? problem.graph_sha256 : problem.order_sha256);
  return found == graphs_.end() ? nullptr : &found->second;
}

bool RowVerifier::fits(std::size_t schedule, const Limits& limits) const {
  return replays_[schedule] && poet::fits(*replays_[schedule], limits);
}

void RowVerifier::check_budgets(Lines& found, const SweepRow& row) const {
  // The multiple is of the graph without copies.
  const bool is_copied = !row.problem.copies.tensors.empty();
  const KnownGraph* const known = is_copied ? nullptr : graph_of(row);
  Seconds seconds = known != nullptr ? known->base.runtime_seconds : 0;
  if (known == nullptr) {
    // All rows of the graph state the same multiple.
    const auto other = std::find_if(rows_.begin(), rows_.end(), [&](const SweepRow& first) {
      return same_graph(first, row) && first.problem.runtime_budget_ratio > 0;
    });
    if (other == rows_.end()) return;
    seconds = other->problem.limits.runtime_budget_seconds / other->problem.runtime_budget_ratio;
  }
  if (!(seconds > 0)) return;
  const double ratio = row.problem.limits.runtime_budget_seconds / seconds;
  if (agree(row.problem.runtime_budget_ratio, ratio)) return;
  const auto [is, should_be] = distinct(row.problem.runtime_budget_ratio, ratio);
  found.push_back(named_row(
      row, fmt::format("runtime_budget_ratio is {}; the seconds come to {}", is, should_be)));
}

/// Rows in one order of one graph have the same baseline. If a schedule file states the graph, it
/// is computed anew.
void RowVerifier::check_baseline(Lines& found, const SweepRow& row) const {
  const auto first = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const SweepRow& other) { return same_order(other, row); });
  Joules energy = first->baseline_energy_joules;
  Bytes peak = first->baseline_peak_ram_bytes;
  if (const KnownGraph* const known = graph_of(row)) {
    energy = known->base.energy_joules;
    peak = known->base.peak_ram_bytes;
  }
  const auto differs = [&](const std::string& key, const std::string& is,
                           const std::string& should_be) {
    found.push_back(named_row(row, fmt::format("{} is {}; its graph has {}", key, is, should_be)));
  };
  compare_value(row.baseline_energy_joules, energy, InFile::always, "baseline_energy_joules", {},
                differs);
  compare_value(row.baseline_peak_ram_bytes, peak, InFile::always, "baseline_peak_ram_bytes", {},
                differs);
}

/// Status, gap and the gap that was asked for have to agree.
void RowVerifier::check_status(Lines& found, const SweepRow& row) const {
  const auto differs = [&](const std::string& what) { found.push_back(named_row(row, what)); };
  if (row.status == SweepRow::Status::infeasible) {
    if (row.baseline_peak_ram_bytes <= row.problem.limits.ram_budget_bytes &&
        row.problem.runtime_budget_ratio >= 1) {
      differs("it is infeasible, but the baseline fits its limits");
    }
    return;
  }
  if (!row.summary) return;
  const double gap = relative_gap(row.summary->energy_joules, row.summary->lower_bound_joules);
  const bool is_optimal = row.status == SweepRow::Status::optimal;
  if (is_optimal ? gap <= row.requested_gap + kProofTolerance : gap > row.requested_gap) return;
  const auto [is, asked] = distinct(gap, row.requested_gap);
  differs(fmt::format("status is {}, but the gap is {}, and {} was asked for", name_of(row.status),
                      is, asked));
}

/// A verdict needs no solver, so it can be repeated here.
void RowVerifier::check_origin(Lines& found, const SweepRow& row) const {
  if (row.status == SweepRow::Status::failed) return;  // it has no origin
  const auto differs = [&](const std::string& what) { found.push_back(named_row(row, what)); };
  const bool is_reused = row.origin == SweepOutcome::Origin::reused;
  if (is_reused != row.origin_point.has_value()) {
    differs(fmt::format("origin is {}, {} origin_point", name_of(row.origin),
                        is_reused ? "without an" : "with an"));
    return;
  }
  if (is_reused) return check_reused(found, row);
  if (row.origin != SweepOutcome::Origin::verdict) return;
  // Without its graph, only what it says itself can contradict it.
  const bool has_schedule = row.summary.has_value();
  Verdict::Kind expected = has_schedule ? Verdict::Kind::optimal : Verdict::Kind::infeasible;
  if (const KnownGraph* const known = graph_of(row)) {
    expected =
        instant_verdict({.graph = known->graph, .limits = row.problem.limits}, known->base).kind;
  }
  const bool holds = has_schedule ? expected == Verdict::Kind::optimal
                                  : row.status == SweepRow::Status::infeasible &&
                                        expected == Verdict::Kind::infeasible;
  if (!holds) differs("origin is verdict, but only a solver can know");
}

/// What was taken from another point holds only if the limits of the two are in the right order.
void RowVerifier::check_reused(Lines& found, const SweepRow& row) const {
  const auto differs = [&](const char* what) {
    found.push_back(named_row(row, fmt::format("origin_point is {}, {}", *row.origin_point, what)));
  };
  const auto other = std::find_if(rows_.begin(), rows_.end(), [&](const SweepRow& candidate) {
    return candidate.point == *row.origin_point;
  });
  if (other == rows_.end()) {
    if (is_whole_sweep(rows_)) differs("which does not exist");
    return;
  }
  if (&*other == &row) return differs("which is the point itself");
  if (!same_graph(*other, row)) return differs("which is about another graph");
  const bool allows_more = dominates(other->problem.limits, row.problem.limits);
  if (row.status == SweepRow::Status::infeasible) {
    if (other->status != SweepRow::Status::infeasible) return differs("which is not infeasible");
    if (!allows_more) differs("which does not allow as much");
    return;
  }
  if (!row.summary || !other->summary) return differs("which has no schedule");
  const Joules energy = row.summary->energy_joules;
  if (agree(energy, other->summary->energy_joules)) return;
  // A point that allows more may have found a better schedule later, but no better than its bound,
  // which is about one order.
  const bool is_later = allows_more && energy > other->summary->energy_joules &&
                        (!same_order(*other, row) ||
                         relative_gap(energy, other->summary->energy_joules) <= row.requested_gap);
  if (!is_later) differs("which has another schedule");
}

/// A row against the schedules and figures of all others.
void RowVerifier::check_others(Lines& found, std::size_t r) const {
  const SweepRow& row = rows_[r];
  const Limits& limits = row.problem.limits;
  const auto differs = [&](const std::string& what) { found.push_back(named_row(row, what)); };
  for (std::size_t o = 0; o < rows_.size(); ++o) {
    const SweepRow& other = rows_[o];
    if (o == r || !other.summary || !same_graph(row, other)) continue;
    const Joules energy = other.summary->energy_joules;
    const bool allows_more = dominates(limits, other.problem.limits);
    const bool has_fit = fits(o, limits) || allows_more;
    if (row.status == SweepRow::Status::infeasible && has_fit && excludes(row, other)) {
      differs(fmt::format("it is infeasible, but the schedule of point {} fits its limits",
                          other.point));
    }
    if (!row.summary) continue;
    const Joules bound = row.summary->lower_bound_joules;
    if (has_fit && same_order(row, other) && bound > energy && !agree(bound, energy)) {
      const auto [proven, needs] = distinct(bound, energy);
      differs(
          fmt::format("its bound of {} J is above the {} J of point {}, whose schedule fits its "
                      "limits",
                      proven, needs, other.point));
    }
    const Joules own = row.summary->energy_joules;
    if (allows_more && own > energy && !agree(own, energy)) {
      const auto [needs, less] = distinct(own, energy);
      differs(
          fmt::format("its schedule needs {} J; point {}, which allows no more, has one of {} J",
                      needs, other.point, less));
    }
  }
}

std::vector<std::string> RowVerifier::findings() const {
  Lines found;
  if (rows_.empty()) return found;
  check_row_groups(found, rows_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    check_budgets(found, rows_[r]);
    check_baseline(found, rows_[r]);
    check_status(found, rows_[r]);
    check_origin(found, rows_[r]);
    check_others(found, r);
  }
  return found;
}

}  // namespace poet
