#include "solver/milp/mip_solver.hpp"

#include <algorithm>

#include "base/process/call_messages.hpp"
#include "solver/milp/mip_fields.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/work.hpp"

namespace poet {

namespace {

/// CBC calls a model without rows or without columns "not valid". Neither needs a solver.
std::optional<MipResult> solve_trivially(const Milp& milp) {
  MipResult result{.status = MipResult::Status::finished, .bound = 0};
  if (milp.columns.empty()) {
    const bool holds = std::all_of(milp.rows.begin(), milp.rows.end(), [](const MilpRow& row) {
      return row.lower <= 0 && row.upper >= 0;
    });
    if (holds) result.values.emplace();
    return result;
  }
  if (!milp.rows.empty()) return std::nullopt;
  result.values.emplace();
  for (const MilpColumn& column : milp.columns) {
    result.values->push_back(column.cost >= 0 ? column.lower : column.upper);
    result.bound += column.cost * result.values->back();
  }
  return result;
}

using ProgressFunction = std::function<bool(const MipProgress&)>;

/// Runs one search in a child process. If it does not end well, the bounds reported on the way
/// stand, because each was proven when it was sent.
MipResult search(const Milp& milp, const MipOptions& options, const ProgressFunction& progress) {
  MipProgress latest;
  ChildCall<MipProgress, MipResult> call;
  call.work = [&](const auto& report) { return run_cbc(milp, options, report); };
  call.on_report = [&](const MipProgress& now) {
    latest.nodes = std::max(latest.nodes, now.nodes);
    if (now.bound < std::min(options.cutoff, 1e30)) {
      latest.bound = std::max(latest.bound, now.bound);
    }
    return progress(latest);
  };
  call.check = [&](const MipResult& result) { check_points(result, milp.columns.size()); };
  call.on_tick = [&] { return progress(latest); };
  call.seconds = options.time_limit_seconds + kGrace;
  call.memory_bytes = options.memory_bytes;
  const ChildAnswer<MipResult> answer = call.run();
  if (answer.result) return *answer.result;
  MipResult result{.bound = latest.bound, .nodes = latest.nodes};
  if (answer.stopped) {
    result.status = MipResult::Status::stopped;
  } else {
    result.message = "CBC " + answer.failure;
  }
  return result;
}

bool found_nothing(const MipResult& result) {
  return result.status == MipResult::Status::finished && !result.values;
}

bool has_costs(const Milp& milp) {
  return std::any_of(milp.columns.begin(), milp.columns.end(),
                     [](const MilpColumn& column) { return column.cost != 0; });
}

}  // namespace

MipResult solve_mip(const Milp& milp, const MipOptions& options, const ProgressFunction& progress) {
  if (auto result = solve_trivially(milp)) return *result;
  const Countdown time(options.time_limit_seconds);
  MipResult first = search(milp, options, progress);
  if (!found_nothing(first) || !options.confirm) return first;
  // Without a cutoff, costs have no part in the answer. Prices far apart have made it wrong.
  const bool drops_costs = options.cutoff == kInfinity && has_costs(milp);
  if (!options.presolve && !drops_costs) return first;
  MipOptions plain = options;
  plain.presolve = false;
  plain.time_limit_seconds = time.remaining();
  plain.iterations = std::max<std::int64_t>(1, options.iterations - first.iterations);
  const auto both = [&](const MipProgress& now) {
    return progress(
        {.nodes = first.nodes + now.nodes, .bound = drops_costs ? -kInfinity : now.bound});
  };
  MipResult second = search(drops_costs ? without_costs(milp) : milp, plain, both);
  second.nodes += first.nodes;
  second.iterations += first.iterations;
  second.searches = found_nothing(second) ? 2 : 1;
  if (drops_costs && !found_nothing(second)) {
    // It says nothing about costs, and may have found what the first search missed.
    second.bound = -kInfinity;
    second.doubtful = true;
    if (second.status == MipResult::Status::finished) second.status = MipResult::Status::stopped;
  }
  return second;
}

}  // namespace poet
