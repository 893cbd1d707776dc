// A schedule that was written by hand. All figures come from the replay, and the one bound that is
// proven for every schedule is the energy of the baseline. Budgets that are missing become what the
// schedule takes, so that it is valid within them.

#include "report/schedule_draft.hpp"

#include <algorithm>
#include <limits>

#include "report/file_order.hpp"
#include "report/place_schedule.hpp"
#include "report/summary.hpp"
#include "report/unplaced_file.hpp"

namespace poet {
namespace {

/// The runtime budget in seconds, which stay finite. A file states both forms; seconds are what was
/// solved.
std::optional<Seconds> runtime_budget(const ScheduleDraft& draft) {
  if (draft.runtime_budget_seconds || !draft.runtime_budget_ratio) {
    return draft.runtime_budget_seconds;
  }
  return std::min(*draft.runtime_budget_ratio * baseline(draft.graph).runtime_seconds,
                  std::numeric_limits<double>::max());
}

/// The limits of a draft, with these budgets if it has none.
Limits limits_of_draft(const ScheduleDraft& draft, Bytes ram, Seconds runtime) {
  Limits limits = draft.request.limits;
  limits.ram_budget_bytes = draft.ram_budget_bytes.value_or(ram);
  limits.runtime_budget_seconds = runtime_budget(draft).value_or(runtime);
  return limits;
}

/// The runtime budget as the user stated it. A ratio stays as stated unless the seconds, which were
/// replayed, come to another one.
RuntimeBudget stated_runtime(const ScheduleDraft& draft, Seconds seconds, const Baseline& base) {
  const auto& ratio = draft.runtime_budget_ratio;
  const bool is_same =
      ratio && (base.runtime_seconds <= 0 || agree(*ratio, seconds / base.runtime_seconds));
  return is_same ? RuntimeBudget(Ratio{*ratio}) : RuntimeBudget(seconds);
}

}  // namespace

Baseline stated_base(const ScheduleDraft& draft) {
  if (!draft.model || draft.model->order.empty()) return baseline(draft.graph);
  return baseline(put_back(draft.graph, draft.model->order));
}

Replay replay_draft(const ScheduleDraft& draft) {
  return simulate(draft.graph, draft.schedule,
                  limits_of_draft(draft, std::numeric_limits<Bytes>::max(),
                                  std::numeric_limits<double>::infinity()));
}

ScheduleFile complete_unplaced_draft(const ScheduleDraft& draft, const Replay& replay,
                                     const ModelInfo& unnamed) {
  const Problem problem{
      .graph = draft.graph,
      .limits = limits_of_draft(draft, replay.peak_ram_bytes, replay.runtime_seconds)};
  const Baseline base = baseline(draft.graph);
  SolveSettings settings = draft.request.settings;
  settings.objective = Objective::energy;  // nothing was minimised
  const RuntimeBudget stated = stated_runtime(draft, problem.limits.runtime_budget_seconds, base);
  const SolveResult result{.status = Status::feasible,
                           .schedule = draft.schedule,
                           .energy_joules = replay.energy_joules,
                           .lower_bound_joules = base.energy_joules,
                           .statistics = {.formulation = "none"}};
  Model in_order;
  if (draft.model) in_order.order = draft.model->order;
  settings.order = in_order.order.empty() ? OrderKind::given : OrderKind::stated;
  ScheduleFile file = make_unplaced_file(
      in_order, nullptr, problem, make_request(problem.limits, stated, base, settings), result);
  const ModelInfo found = file.model;
  file.model = draft.model ? *draft.model : unnamed;
  file.model.node_count = found.node_count;
  file.model.forward_node_count = found.forward_node_count;
  file.model.graph_sha256 = found.graph_sha256;
  file.model.order_sha256 = found.order_sha256;
  file.platform = draft.platform;
  return file;
}

ScheduleFile complete_draft(const ScheduleDraft& draft, const Replay& replay,
                            const ModelInfo& unnamed) {
  ScheduleFile file = complete_unplaced_draft(draft, replay, unnamed);
  add_offsets(file);
  return file;
}

}  // namespace poet
