#pragma once

#include <string>

#include "measure.hpp"
#include "poet/problem.hpp"

namespace poet::bench {

/// What CBC, as a program with its defaults, makes of POET's own MILP.
struct PoetResult {
  int rows = 0;
  int columns = 0;
  std::string status;  ///< CBC's word, shortened
  Seconds wall_seconds = 0;
  bool has_schedule = false;  ///< a valid one, by our replay
  Joules energy_joules = 0;   ///< of the schedule, from the replay
  bool has_bound = false;
  Joules bound_joules = 0;  ///< CBC's word
  std::string fault;  ///< what is wrong with the schedule, where it wrote one that is not valid

  bool proven() const { return has_schedule && status == "optimal"; }
};

/// Writes POET's MILP for the problem, has it solved under the same gap and time limit as our own
/// solve, and replays the schedule. Building and writing the model is not charged.
PoetResult solve_by_poet(const Problem& problem, const Conditions& conditions);

/// What of it our own answer to the same problem shows to be wrong; empty where nothing is.
std::string refuted(const PoetResult& poet, const Measurement& ours);

/// The other way round: its schedule, which has been replayed, lies below our bound.
bool refutes(const PoetResult& poet, const Measurement& ours);

}  // namespace poet::bench
