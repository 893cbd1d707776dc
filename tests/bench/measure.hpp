#pragma once

#include <cstdint>
#include <string>

#include "instance.hpp"
#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet::bench {

/// What solving one instance came to. Plain data: it crosses a process boundary as bytes.
struct Figures {
  Status status = Status::unknown;
  bool has_schedule = false;
  bool valid = false;  ///< our own replay found no violation, the same energy, a bound below it
  int rows = 0;
  int columns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t nodes = 0;
  Seconds build_seconds = 0;
  Seconds first_schedule_seconds = 0;
  Seconds heuristic_seconds = 0;
  Seconds milp_seconds = 0;
  Seconds wall_seconds = 0;
  Joules baseline_joules = 0;
  Joules energy_joules = 0;
  Joules bound_joules = 0;

  Joules extra_joules() const { return energy_joules - baseline_joules; }
  /// (energy - bound) / energy
  double gap() const { return relative_gap(energy_joules, bound_joules); }
  /// (energy - bound) / (energy - baseline): how much of what can be saved is still open.
  double gap_on_extra() const;
};

struct Measurement {
  Instance instance;
  Figures figures;
  Bytes peak_rss_bytes = 0;
  std::string failure;  ///< why there are no figures, or what is wrong with the schedule

  bool ok() const { return failure.empty(); }
};

/// Solves the instance in a child process and replays the schedule there.
Measurement measure(const Instance& instance, const SolveOptions& options);

}  // namespace poet::bench
