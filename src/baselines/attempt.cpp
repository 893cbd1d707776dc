#include "baselines/attempt.hpp"

#include <utility>

namespace poet {

bool BestAttempt::is_better(const Replay& replay) const {
  if (!replay_) return true;
  if (replay.valid() != replay_->valid()) return replay.valid();
  if (replay.valid()) return replay.energy_joules < replay_->energy_joules;
  return replay.peak_ram_bytes < replay_->peak_ram_bytes;
}

void BestAttempt::offer(std::optional<Schedule> schedule, const std::string& parameter) {
  if (!schedule) return;
  Replay replay = simulate(problem_.graph, *schedule, problem_.limits);
  if (!is_better(replay)) return;
  best_ = {.schedule = std::move(schedule), .reason = {}, .parameter = parameter};
  replay_ = std::move(replay);
}

Attempt BestAttempt::take(const std::string& reason) && {
  if (!best_.schedule) return Attempt::not_applicable(reason);
  return std::move(best_);
}

}  // namespace poet
