#pragma once

#include <optional>
#include <string>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"

namespace poet {

/// What a method makes of a problem.
struct Attempt {
  std::optional<Schedule> schedule;  ///< absent if the method does not apply
  std::string reason;                ///< why it does not
  std::string parameter;             ///< what it chose, such as `3 segments`; may be empty

  static Attempt not_applicable(std::string why) {
    return {.schedule = {}, .reason = std::move(why), .parameter = {}};
  }
};

/// Keeps the best of the schedules that a method makes with different parameters: the one of least
/// energy within the limits, else the one of the smallest peak. The first of equals stays.
class BestAttempt {
 public:
  explicit BestAttempt(const Problem& problem) : problem_(problem) {}

  /// Replays a schedule; nothing happens without one.
  void offer(std::optional<Schedule> schedule, const std::string& parameter);
  bool fits() const { return replay_ && replay_->valid(); }
  /// The best so far; `reason` explains why it is missing.
  Attempt take(const std::string& reason) &&;

 private:
  bool is_better(const Replay& replay) const;

  const Problem& problem_;
  Attempt best_;
  std::optional<Replay> replay_;
};

}  // namespace poet
