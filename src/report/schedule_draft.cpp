// A schedule that was written by hand. All figures come from the replay, and the one bound that is
// proven for every schedule is the energy of the baseline. Budgets that are missing become what the
// schedule takes, so that it is valid within them.

#include "report/schedule_draft.hpp"

#include <limits>
#include <utility>

#include "poet/simulate.hpp"
#include "report/place_schedule.hpp"
#include "report/summary.hpp"
#include "report/unplaced_file.hpp"

namespace poet {
namespace {

constexpr Bytes kNoRamBudget = std::numeric_limits<Bytes>::max();
constexpr double kNoRuntimeBudget = std::numeric_limits<double>::infinity();

/// What the draft asks for. Nothing was minimised, and a ratio stays as stated unless the seconds,
/// which were replayed, come to another one.
Request completed_request(const ScheduleFile& draft, const Replay& replay, const Baseline& base) {
  Request request = draft.request;
  Limits& limits = request.limits;
  if (limits.ram_budget_bytes == kNoRamBudget) limits.ram_budget_bytes = replay.peak_ram_bytes;
  if (limits.runtime_budget_seconds == kNoRuntimeBudget) {
    limits.runtime_budget_seconds = replay.runtime_seconds;
  }
  const double ratio = runtime_ratio(limits.runtime_budget_seconds, base);
  const bool is_stated = request.runtime_budget_ratio < kNoRuntimeBudget;
  const bool is_same =
      is_stated && (base.runtime_seconds <= 0 || agree(request.runtime_budget_ratio, ratio));
  if (!is_same) request.runtime_budget_ratio = ratio;
  request.settings.objective = Objective::energy;
  request.settings.order = draft.model.order.empty() ? OrderKind::given : OrderKind::stated;
  return request;
}

}  // namespace

ScheduleFile make_draft(Graph graph, Schedule schedule, ModelInfo model, PagingTime paging_time) {
  ScheduleFile draft;
  draft.model = std::move(model);
  draft.request.limits = {.ram_budget_bytes = kNoRamBudget,
                          .runtime_budget_seconds = kNoRuntimeBudget,
                          .paging_time = paging_time};
  draft.request.runtime_budget_ratio = kNoRuntimeBudget;
  draft.graph = std::move(graph);
  draft.schedule = std::move(schedule);
  return draft;
}

ScheduleFile complete_unplaced_draft(const ScheduleFile& draft) {
  const Replay replay = simulate(draft.graph, draft.schedule, draft.request.limits);
  const Baseline base = baseline(draft.graph);
  const Request request = completed_request(draft, replay, base);
  const SolveResult result{.status = Status::feasible,
                           .schedule = draft.schedule,
                           .energy_joules = replay.energy_joules,
                           .lower_bound_joules = base.energy_joules,
                           .statistics = {.formulation = "none"}};
  Model in_order;
  in_order.order = draft.model.order;
  ScheduleFile file = make_unplaced_file(
      in_order, nullptr, {.graph = draft.graph, .limits = request.limits}, request, result);
  const ModelInfo found = file.model;
  file.model = draft.model;
  file.model.node_count = found.node_count;
  file.model.forward_node_count = found.forward_node_count;
  file.model.graph_sha256 = found.graph_sha256;
  file.model.order_sha256 = found.order_sha256;
  file.platform = draft.platform;
  return file;
}

ScheduleFile complete_draft(const ScheduleFile& draft) {
  ScheduleFile file = complete_unplaced_draft(draft);
  add_offsets(file);
  return file;
}

}  // namespace poet
