#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "instance.hpp"
#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet::bench {

/// Into a solve; what is known by then is what a person in a hurry would get.
inline constexpr Seconds kEarly = 5;
/// Likewise, for a person with a little patience.
inline constexpr Seconds kPatient = 10;

/// What solving one instance came to, or how far it has come. Plain data: it crosses a process
/// boundary as bytes.
struct Figures {
  bool finished = false;  ///< false: the last that was heard of a solve that did not end well
  Status status = Status::unknown;
  bool has_schedule = false;
  bool valid = false;  ///< our own replay found no violation, the same energy, a bound below it
  int graph_nodes = 0;
  int rows = 0;
  int columns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t nodes = 0;
  Seconds build_seconds = 0;
  Seconds first_schedule_seconds = 0;
  Seconds heuristic_seconds = 0;
  Seconds milp_seconds = 0;
  Seconds wall_seconds = 0;
  Seconds processor_seconds = 0;  ///< of the solving process and all that it started and that ended
  Seconds bound_seconds = 0;      ///< when the bound rose for the last time; 0: it never did
  Joules baseline_joules = 0;
  Joules energy_joules = 0;
  Joules early_joules = 0;    ///< energy of the best schedule at kEarly; 0: there was none
  Joules patient_joules = 0;  ///< likewise, at kPatient
  Joules bound_joules = 0;
  Bytes solver_rss_bytes = 0;    ///< most memory of the solving process
  Bytes children_rss_bytes = 0;  ///< most memory of any one process that it started

  Joules extra_joules() const { return energy_joules - baseline_joules; }
  /// (energy - bound) / energy
  double gap() const { return relative_gap(energy_joules, bound_joules); }
  /// (energy - bound) / (energy - baseline): how much of what can be saved is still open.
  double gap_on_extra() const;
};

/// What a solve is allowed to do and to use.
struct Conditions {
  SolveOptions solve;
  Bytes memory_limit_bytes = 0;  ///< of address space, for each process; 0: none
};

struct Measurement {
  Instance instance;
  std::string disabled;  ///< the technique that was off; empty: none
  double gap_asked = 0;
  Seconds time_limit_seconds = 0;
  Figures figures;
  Bytes memory_limit_bytes = 0;
  std::string program_sha256;  ///< of the benchmark that solved it
  std::string graph_sha256;    ///< of what was solved; empty for graphs that no instance describes
  Bytes peak_rss_bytes = 0;    ///< of the largest process
  std::string failure;         ///< why the solve did not end well, or what is wrong with its answer

  bool ok() const { return failure.empty(); }
  /// Either answer ends the matter: a schedule proven within the gap, or a proof that none exists.
  bool settled() const;
};

/// Solves the problem in a child process, where it is made and its schedule is replayed.
Measurement measure(const Instance& instance, const std::function<Problem()>& make_problem,
                    const Conditions& conditions);

/// Likewise, for the problem that the instance describes, with its seed.
Measurement measure(const Instance& instance, const Conditions& conditions);

}  // namespace poet::bench
