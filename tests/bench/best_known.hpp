#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure.hpp"

namespace poet::bench {

/// The best that any run has found out about a problem. Without an energy no schedule is known;
/// without a bound, nothing but the baseline's energy.
struct BestFigures {
  std::string graph_sha256;  ///< figures of another graph say nothing
  Joules baseline_joules = 0;
  std::optional<Joules> energy_joules;
  std::string energy_from;  ///< which run found the schedule, for readers
  std::optional<Joules> bound_joules;
  std::string bound_from;
  bool infeasible = false;  ///< proven: there is no schedule

  bool operator==(const BestFigures&) const = default;
};

/// By the name of the problem.
using BestKnown = std::map<std::string, BestFigures>;

/// Why two findings about one problem cannot both be true, or nothing: of other graphs, a bound
/// above an energy, or a schedule where there is none.
std::string conflict(const BestFigures& known, const BestFigures& found);

/// How measurements have changed what is known.
struct BestUpdate {
  int new_problems = 0;
  int better_energies = 0;          ///< of problems that were known
  int better_bounds = 0;            ///< likewise, proofs that there is no schedule included
  std::vector<std::string> faults;  ///< `NAME: what contradicts what`
};

/// Puts energies and bounds of measurements that are better than what is known in its place, and
/// notes where they come from. Nothing gets worse. Where a bound lies above an energy, a schedule
/// is known for what is proven to have none, an answer is wrong, or the graph is another, nothing
/// at all changes, and the faults say so. Solves that did not end do not count, nor
/// do graphs without a digest.
BestUpdate improve(BestKnown& known, const std::vector<Measurement>& measurements,
                   const std::string& from);

/// Gives the instance the extra energy of the best schedule known, if it is better than what it
/// has. Throws InputError if what is known is of another graph.
void compare_with(const BestKnown& known, Instance& instance);

}  // namespace poet::bench
