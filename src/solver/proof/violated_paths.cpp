// The rows `path`: what is in RAM was there at an earlier moment, or was paged in since, or was
// computed again since from inputs of which the same holds. They are precedence cuts. Within one
// interval a path is the sum of rows that the model has already; what it adds is that it spans
// several intervals.

#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "solver/formulation/path_cuts.hpp"
#include "solver/proof/moment_rows.hpp"

namespace poet {
namespace {

PathInterval at_point(const MomentModel& model, const ProofInterval& interval,
                      std::span<const double> values) {
  PathInterval point;
  for (int i = 0; i <= interval.stage; ++i) {
    point.held.push_back(value_at(values, interval.in_ram[i]));
    point.computed.push_back(value_at(values, interval.recomputed[i]));
    point.paged_in.push_back(value_at(values, interval.paged_in[i]));
    point.may_compute.push_back(interval.recomputed[i] != kAbsent);
    point.read.push_back(model.is_read_in(interval, i));
  }
  return point;
}

/// NEED as a certificate has it, and its column.
std::pair<std::string, ProofColumn> need_of(const MomentModel& model, const PathCut& cut) {
  switch (cut.need.kind) {
    case PathNeed::Kind::first_computation:
      break;
    case PathNeed::Kind::next_moment:
      return {"S", model.intervals()[cut.last + 1].in_ram[cut.path.front()]};
    case PathNeed::Kind::recomputation:
      return {fmt::format("R{}", cut.need.user),
              model.intervals()[cut.last].recomputed[cut.need.user]};
  }
  return {"1", kCertain};
}

ProofRow row_of(const MomentModel& model, const PathCut& cut) {
  const std::vector<ProofInterval>& intervals = model.intervals();
  const auto [need, needed] = need_of(model, cut);
  ProofRow row{.line = fmt::format("path {} {} {}", intervals[cut.first].stage,
                                   intervals[cut.last].stage, need)};
  row.add(-1, needed);
  for (std::size_t l = 0; l < cut.path.size(); ++l) {
    const int i = cut.path[l];
    row.line += fmt::format(" {}{}", cut.by_copy[l] ? "P" : "", i);
    row.add(1, intervals[cut.first].in_ram[i]);
    if (cut.by_copy[l]) {
      row.add(1, model.ever_paged()[i]);
    } else {
      for (int v = cut.first; v <= cut.last; ++v) row.add(1, intervals[v].paged_in[i]);
    }
  }
  for (int v = cut.first; v <= cut.last; ++v) {
    row.add(1, intervals[v].recomputed[cut.path.back()]);
  }
  return row;
}

}  // namespace

std::vector<ProofRow> violated_paths(const MomentModel& model, std::span<const double> values) {
  std::vector<PathInterval> intervals;
  intervals.reserve(model.intervals().size());
  for (const ProofInterval& interval : model.intervals()) {
    intervals.push_back(at_point(model, interval, values));
  }
  std::vector<double> copies;
  copies.reserve(model.ever_paged().size());
  for (const ProofColumn paged : model.ever_paged()) {
    copies.push_back(paged == kAbsent ? std::numeric_limits<double>::infinity()
                                      : value_at(values, paged));
  }
  std::vector<ProofRow> rows;
  for (const PathCut& cut : violated_path_cuts(model.graph(), intervals, copies)) {
    ProofRow row = row_of(model, cut);
    if (row.finish()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace poet
