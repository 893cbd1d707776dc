#include <vector>

#include <fmt/format.h>

#include "solver/formulation/path_cuts.hpp"
#include "solver/formulation/row_builder.hpp"
#include "solver/formulation/sampled_relaxation.hpp"

namespace poet {
namespace {

PathInterval at_point(const SampledInterval& interval, const Graph& graph,
                      std::span<const double> values) {
  PathInterval point;
  for (std::size_t i = 0; i < interval.held.size(); ++i) {
    point.held.push_back(value_of(interval.held[i], values));
    point.computed.push_back(value_of(interval.compute[i], values));
    point.paged_in.push_back(value_of(interval.page_in[i], values));
    point.may_compute.push_back(!interval.compute[i].is_zero());
    point.read.push_back(
        is_read_between(graph, static_cast<int>(i), interval.moment, interval.last));
  }
  return point;
}

BinaryExpression demand(const SampledModel& model, const PathCut& cut) {
  switch (cut.need.kind) {
    case PathNeed::Kind::first_computation:
      break;
    case PathNeed::Kind::next_moment:
      return model.intervals[cut.last + 1].held[cut.path.front()];
    case PathNeed::Kind::recomputation:
      return model.intervals[cut.last].compute[cut.need.user];
  }
  return BinaryExpression::one();
}

MilpRow row_between(const SampledModel& model, const PathCut& cut) {
  RowBuilder row(
      fmt::format("between_{}_{}_{}_{}", cut.first, cut.last, cut.path.front(), cut.path.back()));
  row.add(1, demand(model, cut));
  for (std::size_t l = 0; l < cut.path.size(); ++l) {
    const int i = cut.path[l];
    row.add(-1, model.intervals[cut.first].held[i]);
    if (cut.by_copy[l]) {
      row.add(-1, model.paged[i]);
    } else {
      for (int w = cut.first; w <= cut.last; ++w) row.add(-1, model.intervals[w].page_in[i]);
    }
  }
  for (int w = cut.first; w <= cut.last; ++w) {
    row.add(-1, model.intervals[w].compute[cut.path.back()]);
  }
  return row.at_most_row(0);
}

}  // namespace

std::vector<MilpRow> sampled_cuts(const SampledModel& model, const Graph& graph,
                                  std::span<const double> values) {
  std::vector<PathInterval> intervals;
  intervals.reserve(model.intervals.size());
  for (const SampledInterval& interval : model.intervals) {
    intervals.push_back(at_point(interval, graph, values));
  }
  std::vector<double> copies;
  copies.reserve(model.paged.size());
  for (const BinaryExpression& paged : model.paged) {
    copies.push_back(paged.is_zero() ? kInfinity : value_of(paged, values));
  }
  std::vector<MilpRow> rows;
  for (const PathCut& cut : violated_path_cuts(graph, intervals, copies)) {
    rows.push_back(row_between(model, cut));
  }
  return rows;
}

}  // namespace poet
