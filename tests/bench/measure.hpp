#pragma once

#include <functional>
#include <string>

#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet::bench {

/// What solving one problem came to. Plain data: it crosses a process boundary as bytes.
struct Figures {
  Status status = Status::unknown;
  bool has_schedule = false;
  bool valid = false;  ///< our own replay found no violation, the same energy, a bound below it
  int graph_nodes = 0;
  int rows = 0;
  int columns = 0;
  Seconds wall_seconds = 0;
  Joules baseline_joules = 0;
  Joules energy_joules = 0;
  Joules bound_joules = 0;

  Joules extra_joules() const { return energy_joules - baseline_joules; }
  /// (energy - bound) / energy
  double gap() const { return relative_gap(energy_joules, bound_joules); }
};

/// What a solve is allowed to do and to use.
struct Conditions {
  SolveOptions solve;
  Bytes memory_limit_bytes = 0;  ///< of address space, for each process; 0: none
};

struct Measurement {
  std::string problem;   ///< its name
  std::string disabled;  ///< the technique that was off; empty: none
  double gap_asked = 0;
  Seconds time_limit_seconds = 0;
  Figures figures;
  std::string failure;  ///< why the solve did not end well, or what is wrong with its answer

  bool ok() const { return failure.empty(); }
  /// Either answer ends the matter: a schedule proven within the gap, or a proof that none exists.
  bool settled() const;
  /// `optimal`, `feasible`, `infeasible`, `unknown`, or `FAILED`
  std::string outcome() const;
};

/// Solves the problem in a child process, where it is made and its schedule is replayed.
Measurement measure(const std::string& name, const std::function<Problem()>& make_problem,
                    const Conditions& conditions);

/// Likewise, for the problem that the name stands for.
Measurement measure(const std::string& name, const Conditions& conditions);

}  // namespace poet::bench
