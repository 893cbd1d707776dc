#pragma once

#include <algorithm>
#include <limits>

#include "measure.hpp"
#include "poet/solve.hpp"

namespace poet::bench {

/// Keeps, of the progress messages of a solve, what its report does not say.
class ProgressTrace {
 public:
  /// True where the message has news.
  bool note(const Progress& now) {
    const bool better = now.incumbent_joules < incumbent_;
    const bool higher = now.bound_joules > bound_ * (1 + kNews);
    if (better) {
      if (incumbent_ == kNone) first_seconds_ = now.elapsed_seconds;
      if (now.elapsed_seconds <= kEarly) early_ = now.incumbent_joules;
      if (now.elapsed_seconds <= kPatient) patient_ = now.incumbent_joules;
      incumbent_ = now.incumbent_joules;
    }
    // The first message states the trivial bound.
    if (higher && bound_ > 0) bound_seconds_ = now.elapsed_seconds;
    bound_ = std::max(bound_, now.bound_joules);
    return better || higher;
  }

  /// The figures of a solve under way.
  void write_to(Figures& figures, Seconds elapsed) const {
    figures.has_schedule = incumbent_ < kNone;
    figures.energy_joules = figures.has_schedule ? incumbent_ : 0;
    figures.bound_joules = bound_;
    figures.first_schedule_seconds = first_seconds_;
    figures.wall_seconds = elapsed;
    write_history_to(figures);
  }

  /// What only the messages tell; `figures` has the rest, and may have later news.
  void write_history_to(Figures& figures) const {
    const bool raised_last = figures.bound_joules > bound_ * (1 + kNews) && bound_ > 0;
    figures.bound_seconds = raised_last ? figures.wall_seconds : bound_seconds_;
    const auto known_at = [&](Seconds mark, Joules then) {
      if (figures.wall_seconds <= mark && figures.has_schedule) return figures.energy_joules;
      return then < kNone ? then : 0;
    };
    figures.early_joules = known_at(kEarly, early_);
    figures.patient_joules = known_at(kPatient, patient_);
  }

 private:
  static constexpr Joules kNone = std::numeric_limits<double>::infinity();
  static constexpr double kNews = 1e-9;

  Joules incumbent_ = kNone;
  Joules early_ = kNone;
  Joules patient_ = kNone;
  Joules bound_ = 0;
  Seconds first_seconds_ = 0;
  Seconds bound_seconds_ = 0;
};

}  // namespace poet::bench
