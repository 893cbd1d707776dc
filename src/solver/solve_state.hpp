#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "poet/solve.hpp"
#include "solver/formulation/useful_windows.hpp"
#include "solver/incumbent.hpp"
#include "solver/milp/milp.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/work.hpp"

namespace poet {

/// A solve whose gap is proven goes on until this share of the extra energy is left open. A gap of
/// the total means little if the lack of RAM costs little: 1e-4 of the total can be all of the
/// extra energy.
inline constexpr double kExtraGap = 0.01;

/// What the phases of one solve share: the problem, the clock, the best schedule and bound, and the
/// statistics of the work.
struct SolveState {
  SolveState(const Problem& task, const SolveOptions& wishes)
      : problem(task),
        options(wishes),
        clock(wishes.settings.time_limit_seconds),
        base(baseline(task.graph)),
        incumbent(task, base) {}

  const Problem& problem;
  const SolveOptions& options;
  SolveClock clock;
  Baseline base;
  Incumbent incumbent;
  SolveStatistics statistics;
  Work work;
  bool interrupted = false;
  std::uint32_t local_searches = 0;   ///< so far; each has another seed
  int glance_moments = 0;             ///< the most that a glance looked at
  Joules unproven_claim = kInfinity;  ///< that a proof in moment models was not found for
  Seconds unproven_seconds = 0;       ///< that the search for that proof had
  std::vector<int> proof_moments;     ///< of the model in which it was searched
  int searches_without_result = 0;    ///< how many agreed that the problem is infeasible
  std::string trouble;                ///< why a phase ended early, in words
  bool refining = false;              ///< the gap is met; what is left is the extra energy's
  std::int64_t most_work = kNoLimit;  ///< at which refining ends

  bool fast() const { return options.settings.effort == Effort::fast; }
  /// Whether the gap that was asked for is met.
  bool proven() const { return incumbent.proven(options.settings.gap); }
  /// Whether what the phases work for is reached: the gap, and then kExtraGap.
  bool reached() const;
  /// Whether the solve must end: interrupted, or out of time.
  bool stopping();
  bool done() { return reached() || work_left() <= 0 || stopping(); }

  /// Returns true, and gives the phases another target, if the gap is met and the extra energy is
  /// worth more work.
  bool begin_refining();
  /// In moves.
  std::int64_t work_left() const {
    return most_work == kNoLimit ? kNoLimit : most_work - work.moves();
  }
  std::int64_t share_of_work(double share) const;

  /// This share of the seconds that are left.
  Seconds share_of_time(double share) const { return share * clock.remaining(); }
  /// The same for a step of the work on a model, which Effort::fast keeps short.
  Seconds time_for_step(double share) const;
  /// The most nonzeros that a model may have within the memory limit, and that its memory rows may
  /// have if it contains them all.
  std::int64_t most_nonzeros() const { return max_nonzeros(options.settings.memory_limit_bytes); }
  std::int64_t most_complete_nonzeros() const {
    return std::min(options.complete_nonzeros, most_nonzeros());
  }
  /// What may be left open of so many joules: the requested gap, or of the extra energy what
  /// refining aims at.
  Joules gap_of(Joules energy) const;
  /// The same of the incumbent.
  Joules gap_joules() const;

  void report_progress(const std::string& phase, std::int64_t nodes = 0);
  /// Offers a schedule to the incumbent, and records when the first one came.
  bool offer(Schedule schedule);
  /// Offers a model's schedule. If it does not replay, because a relaxation's schedule can overrun
  /// RAM before F, offers what the greedy descent makes of it.
  bool offer_or_repair(const Schedule& schedule);
  /// Records the sizes of a model in the statistics if it is the largest so far.
  void note_model(const char* formulation, std::size_t rows, std::size_t columns,
                  std::size_t nonzeros);
};

// A solver that is given a cutoff searches only below it. If it finds nothing there, nothing is
// better than the cutoff: a proof without a bound of the solver's own. These functions turn the
// incumbent into a cutoff, and a model's bound into a bound on the problem. Each allows for the
// slack on the way.

/// What CBC's cutoff increment and tolerances can hide, in scaled units (1e-4 of the baseline
/// each). A proof under a cutoff holds for the cutoff less this.
inline constexpr double kCutoffSlack = 4 * kCutoffIncrement;

/// Whether a transfer costs more than CBC can bear in units of the baseline (kDearestColumn).
bool has_dear_transfers(const SolveState& state);

/// The most that a schedule better than the incumbent can cost above the baseline, for
/// useful_windows(); infinity without an incumbent, or if windows by cost are switched off. Beside
/// dear transfers these windows cannot be switched off: the model is wrong in CBC's numbers without
/// them.
Joules affordable_extra(const SolveState& state);

/// What a proof in whole numbers has to show of a schedule of so many joules: nothing is below them
/// less the gap, and a little more, which keeps the sum of rounded doubles on the right side of it.
Joules provable_claim(const SolveState& state, Joules energy);

/// The cutoff, in scaled units, under which a search without a result proves the incumbent within
/// the gap; infinity without an incumbent.
double proof_cutoff(const SolveState& state, const ScaledMilp& scaled);

/// Applies a phase's bound of the model, in scaled units, to the problem. Ignores infinities.
void raise_bound(SolveState& state, const ScaledMilp& scaled, double units, std::string_view phase);

}  // namespace poet
