#pragma once

#include <functional>
#include <string>
#include <vector>

#include "poet/min_ram.hpp"
#include "poet/sweep.hpp"
#include "runs/sweep_journal.hpp"

namespace poet {

/// Takes a line for the log.
using Note = std::function<void(const std::string&)>;

/// What an earlier run has left to a sweep that goes on with its journal. What this very program
/// has found about the same graphs is finished. Of another build's results only the schedules
/// count, as starts: they are replayed, and its proofs would have to be believed.
class EarlierRun {
 public:
  /// `note` is given a line about each thing that is not taken as it is. Keeps references.
  EarlierRun(const SweepJournal& journal, const SweepGrid& grid, Note note);

  /// The answers that need no search, and in `open` those that are to be searched again.
  void take(const std::vector<MinRamTask>& tasks, MinRams& found, MinRams& open) const;
  /// The outcomes of the points that need no solve. Of the others, schedules are added to `starts`,
  /// by subject, and bounds that this program has proven are in `bounds`, by point. `gap` is what
  /// has to be proven. Throws InputError for an order of nodes that is not legal.
  SweepOutcomes take(const std::vector<SweepPoint>& points, double gap,
                     std::vector<std::vector<OrderedSchedule>>& starts,
                     std::vector<OrderBound>& bounds) const;

  /// The digest of a subject's graph.
  const std::string& graph(int subject) const { return graphs_[subject]; }

 private:
  bool of_this_program(const Provenance& from, int subject) const;
  void add_start(const Provenance& from, int subject, const OrderedSchedule& schedule,
                 std::vector<std::vector<OrderedSchedule>>& starts) const;

  const SweepJournal& journal_;
  const SweepGrid& grid_;
  Note note_;
  std::vector<std::string> graphs_;  ///< digests, by subject
};

}  // namespace poet
