#pragma once

#include <optional>

#include "poet/graph.hpp"
#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/schedule_file.hpp"
#include "poet/simulate.hpp"

namespace poet {

/// A schedule file as people write one: a graph and its stages. All that a replay or a solve would
/// state may be missing.
struct ScheduleDraft {
  std::optional<ModelInfo> model;
  std::optional<PlatformInfo> platform;
  std::optional<Bytes> ram_budget_bytes;
  std::optional<Seconds> runtime_budget_seconds;
  std::optional<double> runtime_budget_ratio;  ///< of the time to compute every node once
  Request request;                             ///< the techniques and settings; no budgets
  Graph graph;
  Schedule schedule;
};

/// What shares and multiples are shares and multiples of: the given order's.
Baseline stated_base(const ScheduleDraft& draft);

/// Replays a draft. A budget that it does not have does not limit it.
Replay replay_draft(const ScheduleDraft& draft);

/// Makes the schedule file of a draft whose `replay` is valid: feasible, with the baseline's energy
/// as the lower bound, and with what the schedule takes as the budgets that the draft does not
/// have. `unnamed` is the model if the draft does not say whose its graph is. Throws InternalError
/// for a replay with violations.
ScheduleFile complete_draft(const ScheduleDraft& draft, const Replay& replay,
                            const ModelInfo& unnamed);
/// Likewise without offsets, which can take a second to find.
ScheduleFile complete_unplaced_draft(const ScheduleDraft& draft, const Replay& replay,
                                     const ModelInfo& unnamed);

}  // namespace poet
