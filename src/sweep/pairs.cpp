#include "sweep/pairs.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "report/compare_fields.hpp"
#include "report/summary.hpp"

namespace poet {
namespace {

/// What two points have in common if one can stand for the other.
std::string point_key(const SweepRow& row) {
  const RowProblem& problem = row.problem;
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", problem.model,
                     problem.platform.value_or(""), problem.batch_size, problem.mem_power_scale,
                     problem.techniques, problem.runtime_budget_ratio, row.ram_budget_bytes,
                     name_of(problem.paging_time), problem.storage_budget_bytes.value_or(-1),
                     problem.page_out_budget_bytes.value_or(-1));
}

std::string bytes_or_none(const std::optional<Bytes>& budget) {
  return budget ? fmt::format("{}", *budget) : std::string("none");
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
         was.mem_power_scale == is.mem_power_scale && was.techniques == is.techniques &&
         was.objective == is.objective && was.paging_time == is.paging_time &&
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

std::string problem_difference(const SweepRow& baseline, const SweepRow& fresh) {
  std::string difference;
  const auto check = [&](const char* what, const auto& before, const auto& now) {
    if (!difference.empty() || before == now) return;
    const auto [was, is] = distinct(before, now);
    difference = fmt::format("{} was {}, is {}", what, was, is);
  };
  const RowProblem& before = baseline.problem;
  const RowProblem& now = fresh.problem;
  check("the model", before.model, now.model);
  check("the platform", before.platform.value_or("none"), now.platform.value_or("none"));
  check("the batch size", before.batch_size, now.batch_size);
  check("the memory power scale", before.mem_power_scale, now.mem_power_scale);
  check("the set of techniques", before.techniques, now.techniques);
  check("the paging time", name_of(before.paging_time), name_of(now.paging_time));
  check("the storage budget in bytes", bytes_or_none(before.storage_budget_bytes),
        bytes_or_none(now.storage_budget_bytes));
  check("the page-out budget in bytes", bytes_or_none(before.page_out_budget_bytes),
        bytes_or_none(now.page_out_budget_bytes));
  check("the objective", name_of(before.objective), name_of(now.objective));
  // What was minimised is an answer, and the budget that it came to is none of the question.
  if (now.objective != Objective::ram) {
    check("the RAM budget in bytes", baseline.ram_budget_bytes, fresh.ram_budget_bytes);
  }
  check("the graph's digest", before.graph_sha256.substr(0, 12), now.graph_sha256.substr(0, 12));
  if (now.objective != Objective::runtime) {
    check("the runtime budget in seconds", before.runtime_budget_seconds,
          now.runtime_budget_seconds);
  }
  return difference;
}

namespace {

/// The first field of a row that is not as the schedule file has it; empty if there is none.
std::string row_field_difference(const SweepRow& row, const ScheduleFile& report) {
  SweepRow expected = row_of(report);
  // What a schedule file does not hold.
  expected.point = row.point;
  expected.origin = row.origin;
  expected.origin_point = row.origin_point;
  expected.schedule_file = row.schedule_file;
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

std::string row_difference(const SweepRow& row, const ScheduleFile& report) {
  const std::string difference = problem_difference(row, row_of(report));
  if (!difference.empty()) return "is another one's: " + difference;
  const Joules stated = row.summary ? row.summary->energy_joules : 0;
  if (!agree(report.summary.energy_joules, stated)) {
    const auto [needs, says] = distinct(report.summary.energy_joules, stated);
    return fmt::format("needs {} J, its row says {} J", needs, says);
  }
  return row_field_difference(row, report);
}

}  // namespace poet
