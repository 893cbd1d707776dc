// Which points of two results belong together, and whether a file is the one that a row names.
// Points are paired by what was asked and not by their number, as a grid may have become longer. A
// key holds what decides the answer and leaves out what results from it, such as digests, so that a
// model which has changed still meets its former self and can be reported as changed.

#include "sweep/pairs.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "problem/fields.hpp"
#include "report/compare_fields.hpp"
#include "report/summary.hpp"
#include "sweep/request.hpp"

namespace poet {
namespace {

/// What two points have in common if one can stand for the other.
std::string point_key(const SweepRow& row) {
  const RowProblem& problem = row.problem;
  const Limits& limits = problem.limits;
  std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", problem.model, problem.platform.value_or(""),
                  problem.batch_size, problem.mem_power_scale, name_of(limits.techniques),
                  problem.runtime_budget_ratio, limits.ram_budget_bytes);
  key += fmt::format("\n{}", name_of(problem.copies.mode));
  for_each_field(kNewLimits, [&](const auto& limit) { key += "\n" + text_of(limit.of(limits)); });
  return key;
}

using Index = std::map<std::string, const ComparedPoint*>;

Index index_of(const ComparedResult& result, const char* which) {
  Index index;
  for (const ComparedPoint& point : result.points) {
    if (!index.emplace(point_key(point.row), &point).second) {
      throw InputError(which, fmt::format("found the point '{}' twice; expected each once",
                                          point_name(point.row)));
    }
  }
  return index;
}

}  // namespace

bool graph_changed(const SweepRow& before, const SweepRow& now) {
  const RowProblem& was = before.problem;
  const RowProblem& is = now.problem;
  return was.model == is.model && was.platform == is.platform && was.batch_size == is.batch_size &&
         was.mem_power_scale == is.mem_power_scale &&
         was.limits.techniques == is.limits.techniques && was.objective == is.objective &&
         was.limits.paging_time == is.limits.paging_time && was.copies.mode == is.copies.mode &&
         was.graph_sha256 != is.graph_sha256;
}

Pairs::Pairs(const ComparedResult& baseline, const ComparedResult& fresh) {
  const Index before = index_of(baseline, "the baseline");
  const Index now = index_of(fresh, "the new result");
  for (const ComparedPoint& point : baseline.points) {
    const auto found = now.find(point_key(point.row));
    if (found != now.end()) partner_[&point] = found->second;
  }
  for (const ComparedPoint& point : fresh.points) {
    if (!before.contains(point_key(point.row))) new_.push_back(&point);
  }
  pair_changed_graphs(baseline);
}

const ComparedPoint* Pairs::partner_of(const ComparedPoint& point) const {
  const auto found = partner_.find(&point);
  return found == partner_.end() ? nullptr : found->second;
}

void Pairs::pair_changed_graphs(const ComparedResult& baseline) {
  for (const ComparedPoint& point : baseline.points) {
    if (partner_.contains(&point)) continue;
    const auto next = std::find_if(new_.begin(), new_.end(), [&](const ComparedPoint* other) {
      return graph_changed(point.row, other->row);
    });
    if (next == new_.end()) continue;
    partner_[&point] = *next;
    new_.erase(next);
  }
}

namespace {

/// What a question consists of, in words, in the order in which a difference is worth reading.
constexpr auto kProblemInWords = std::tuple_cat(
    std::tuple(Field<&RowProblem::model>{"the model"}, Field<&RowProblem::platform>{"the platform"},
               Field<&RowProblem::batch_size>{"the batch size"},
               Field<&RowProblem::mem_power_scale>{"the memory power scale"},
               Field<&RowProblem::limits, &Limits::techniques>{"the set of techniques"}),
    within<&RowProblem::limits>(kNewLimitsInWords),
    std::tuple(Field<&RowProblem::objective>{"the objective"},
               Field<&RowProblem::copies, &Copies::mode>{"the mode of copies"},
               Field<&RowProblem::limits, &Limits::ram_budget_bytes>{"the RAM budget in bytes"},
               Field<&RowProblem::graph_sha256>{"the graph's digest"},
               Field<&RowProblem::limits, &Limits::runtime_budget_seconds>{
                   "the runtime budget in seconds"}));

}  // namespace

std::string problem_difference(RowProblem before, RowProblem now) {
  // The minimised budget is an answer, not a part of the question.
  Limits& asked = before.limits;
  if (now.objective == Objective::ram) asked.ram_budget_bytes = now.limits.ram_budget_bytes;
  if (now.objective == Objective::runtime) {
    asked.runtime_budget_seconds = now.limits.runtime_budget_seconds;
  }
  for (RowProblem* const problem : {&before, &now}) problem->graph_sha256.resize(12);
  const auto found = first_difference(before, now, kProblemInWords);
  return found ? fmt::format("{} was {}, is {}", found->key, found->first, found->second)
               : std::string();
}

namespace {

/// The first field of a row that differs from the schedule file; empty if all agree.
std::string row_field_difference(const SweepRow& row, const ScheduleFile& file) {
  SweepRow expected = row_of(file);
  // What a schedule file does not hold.
  expected.point = row.point;
  expected.origin = row.origin;
  expected.origin_point = row.origin_point;
  expected.schedule_file = row.schedule_file;
  expected.given_order = row.given_order;
  expected.reason = row.reason;
  std::string difference;
  compare_fields(row, expected, kFields<SweepRow>, {},
                 [&](const std::string& key, const std::string& says, const std::string& has) {
                   if (!difference.empty()) return;
                   difference = fmt::format("has {} {}, its row says {}", key, has, says);
                 });
  return difference;
}

}  // namespace

// The problem first, then the energy, then the rest: the first difference explains those after it.
std::string row_difference(const SweepRow& row, const ScheduleFile& file) {
  const std::string difference = problem_difference(row.problem, row_of(file).problem);
  if (!difference.empty()) return "is another one's: " + difference;
  const Joules stated = row.summary ? row.summary->energy_joules : 0;
  if (!agree(file.summary.energy_joules, stated)) {
    const auto [needs, says] = distinct(file.summary.energy_joules, stated);
    return fmt::format("needs {} J, its row says {} J", needs, says);
  }
  return row_field_difference(row, file);
}

}  // namespace poet
