// What may be taken over from a journal. A line states the digest of the program that wrote it and
// of the graph that it is about. The same program and the same graph: the answer stands, as a
// second run would give it again. Another program: only its schedules, because a replay decides
// about them, while its bounds and proofs would have to be believed. Without this rule, a fault
// that was mended would live on in every journal.

#include "runs/earlier_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "question/choose_copies.hpp"
#include "report/fields.hpp"
#include "sweep/ordered_subject.hpp"
#include "sweep/reuse_results.hpp"

namespace poet {

EarlierRun::EarlierRun(const SweepJournal& journal, const SweepGrid& grid, Note note)
    : journal_(journal), grid_(grid), note_(std::move(note)) {
  for (const Subject& subject : grid.subjects) {
    graphs_.push_back(subject.graph_sha256());
  }
  const auto& earlier = journal_.earlier();
  if (!earlier) return;
  const Provenance ours = journal_.from({});
  const auto foreign = [&](const auto& entry) { return !entry.second.from.same_program(ours); };
  const auto others = std::count_if(earlier->points.begin(), earlier->points.end(), foreign) +
                      std::count_if(earlier->min_rams.begin(), earlier->min_rams.end(), foreign);
  if (others == 0) return;
  note_(fmt::format(
      "'{}': {} of its {} results are another build's; their schedules are kept as starts, and the "
      "rest is solved anew",
      journal_.path(), others, earlier->points.size() + earlier->min_rams.size()));
}

void EarlierRun::take(const std::vector<MinRamTask>& tasks, MinRams& found, MinRams& open) const {
  open.resize(tasks.size());
  if (!journal_.earlier()) return;
  for (const auto& [t, known] : journal_.earlier()->min_rams) {
    if (t < static_cast<int>(tasks.size()) && of_this_program(known.from, tasks[t].subject)) {
      const bool settled = known.found.infeasible || known.found.exact();
      (known.reopened && !settled ? open : found)[t] = known.found;
    } else if (known.from.same_program(journal_.from({}))) {
      note_(fmt::format(
          "'{}': the smallest RAM budget of task {} is about another graph; it is looked "
          "for anew",
          journal_.path(), t));
    }
  }
}

SweepOutcomes EarlierRun::take(const std::vector<SweepPoint>& points, double gap,
                               std::vector<std::vector<OrderedSchedule>>& starts,
                               std::vector<OrderBound>& bounds) const {
  SweepOutcomes outcomes(points.size());
  bounds.assign(points.size(), OrderBound());
  if (!journal_.earlier()) return outcomes;
  int elsewhere = 0;
  starts.resize(graphs_.size());
  for (const auto& [p, known] : journal_.earlier()->points) {
    const bool there = p < static_cast<int>(points.size());
    const int subject = there ? points[p].subject : -1;
    const bool ours = known.from.same_program(journal_.from({}));
    // A budget that follows from `min` may be another one now.
    const bool same = there && of_this_program(known.from, subject) &&
                      known.ram_budget_bytes == points[p].limits.ram_budget_bytes;
    const CopyMode mode = copy_mode(journal_.earlier()->request.settings.copies);
    if (known.outcome.copies.mode != mode) {
      throw InputError(journal_.path(),
                       fmt::format("found point {} with copies of mode {}; expected {}, as its "
                                   "request says",
                                   p, name_of(known.outcome.copies.mode), name_of(mode)));
    }
    if (same && !(known.reopened && !proven(known.outcome.result, gap))) {
      outcomes[p] = known.outcome;
    } else {
      if (same) {
        const OrderedSubject in_order(grid_.subjects[subject], known.outcome.order,
                                      known.outcome.copies);
        bounds[p] = {known.outcome.result.lower_bound_joules, in_order.get().order_sha256()};
      }
      if (ours && !same) ++elsewhere;
      const auto& schedule = known.outcome.result.schedule;
      if (schedule)
        add_start(known.from, subject, {*schedule, known.outcome.order, known.outcome.copies},
                  starts);
    }
  }
  if (elsewhere > 0) {
    note_(fmt::format("'{}': points about another graph or RAM budget: {}; they are solved anew",
                      journal_.path(), elsewhere));
  }
  return outcomes;
}

bool EarlierRun::of_this_program(const Provenance& from, int subject) const {
  const Provenance here = journal_.from(graphs_[subject]);
  return from.same_program(here) && from.same_graph(here);
}

void EarlierRun::add_start(const Provenance& from, int subject, const OrderedSchedule& schedule,
                           std::vector<std::vector<OrderedSchedule>>& starts) const {
  for (int s = 0; s < static_cast<int>(graphs_.size()); ++s) {
    // Without a digest the number of the point is all there is to go by; a replay decides.
    const bool same = from.graph_sha256.empty() ? s == subject : from.graph_sha256 == graphs_[s];
    if (same) starts[s].push_back(schedule);
  }
}

}  // namespace poet
