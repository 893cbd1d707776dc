#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/rows.hpp"

namespace poet {

/// A figure of a point before and now, as short texts for the columns of a table.
struct ChangedFigure {
  std::string what;    ///< `energy`, `peak RAM`, `runtime`, `RAM budget`, `schedule` or `proof`
  std::string before;  ///< `0.46 J`; `none` without a schedule
  std::string now;
  std::string change;  ///< `+0.952 %`; empty unless a number changed
};

/// Something that differs at a point.
struct Difference {
  enum class Kind {
    energy,   ///< by more than the tolerance; likewise the next two, if they are the objective or
    runtime,  ///< have a limit of their own
    ram,
    invalid,   ///< the new schedule does not replay
    schedule,  ///< one of the two has none
    proof,     ///< one of the two is proven, the other is not as well
    missing,   ///< one of the two has no such point
    problem,   ///< the two are about different problems: not comparable
    graph,     ///< the graph of this model and platform has changed
  };
  Kind kind = Kind::energy;
  std::string point;                   ///< `vgg16_cifar/m4 both 3x 1024 KiB`
  std::string message;                 ///< one line with the figures
  std::vector<ChangedFigure> figures;  ///< what has changed; empty if there is only the message
  std::optional<Summary> baseline;     ///< of its schedule, if it has one
  std::optional<Summary> fresh;
};

template <>
inline constexpr auto kNames<Difference::Kind> =
    kWords<Difference::Kind::energy, Difference::Kind::runtime, Difference::Kind::ram,
           Difference::Kind::invalid, Difference::Kind::schedule, Difference::Kind::proof,
           Difference::Kind::missing, Difference::Kind::problem, Difference::Kind::graph>;

/// How much more a new schedule may need than the baseline's, relative to the baseline's: 0.05 is
/// 5 %. They hold on changed graphs too. What has no limit is compared by the tolerance.
struct IncreaseLimits {
  std::optional<double> energy;
  std::optional<double> peak_ram;
  std::optional<double> runtime;
  std::optional<double> ram_budget;
};

/// `5%` as 0.05. Throws InputError for anything but a finite percentage of 0 or more.
double parse_increase(const std::string& text);

/// What is proven about a point: that its schedule is within the gap, or that it is infeasible.
bool proven(const SweepRow& row);

/// `optimal (at most 0.01 % above the optimum)`, `infeasible (because)`.
std::string status_text(const SweepRow& row);

/// `energy 2 J -> 2.002 J (+0.1000 %)`.
std::string figure_text(const ChangedFigure& figure);

ChangedFigure energy_change(Joules before, Joules now);
ChangedFigure peak_ram_change(Bytes before, Bytes now);
ChangedFigure runtime_change(Seconds before, Seconds now);

/// Whether there are schedules, and what is proven about them.
ChangedFigure status_change(const char* what, const SweepRow& before, const SweepRow& now);

/// All that has changed between two points of different graphs: proof, RAM budget, energy, peak
/// RAM and runtime. The first, the third and the fourth are there in any case, and the last one if
/// both have a schedule.
std::vector<ChangedFigure> changed_figures(const SweepRow& before, const SweepRow& now);

/// A figure that has risen by more than its limit.
struct Excess {
  Difference::Kind kind = Difference::Kind::energy;
  ChangedFigure figure;
  std::string message;  ///< with the limit and its option
};

/// Of two rows with schedules.
std::vector<Excess> excesses(const SweepRow& before, const SweepRow& now,
                             const IncreaseLimits& limits);

}  // namespace poet
