#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "poet/exit_code.hpp"
#include "poet/graph.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/schedule_file.hpp"
#include "poet/simulate.hpp"
#include "poet/units.hpp"

namespace poet {

/// Relative tolerance for figures: sums that were added up in different orders.
inline constexpr double kFigureTolerance = 1e-9;

/// Whether two figures agree within kFigureTolerance of the larger one, or within `absolute`.
/// Nothing agrees with a NaN.
inline bool agree(double a, double b, double absolute = 0) {
  const double size = std::max(std::abs(a), std::abs(b));
  return a == b || std::abs(a - b) <= std::max(size * kFigureTolerance, absolute);
}

/// Replays the schedule that computes every node once and keeps every output until its last use,
/// without budgets: what the figures of other schedules are compared with.
Replay replay_baseline(const Graph& graph);

/// The figures of a schedule of `graph` from its replay.
Summary summarise(const Graph& graph, const Replay& replay, Bytes ram_budget_bytes,
                  Joules lower_bound_joules);

/// Adds the figures that only version 2 of a schedule file has.
void add_exact_figures(Summary& summary, const Graph& graph, const Replay& replay);

/// States what the moves of a placed program cost on its platform: a move reads and writes all of
/// its bytes, at the rate of RAM and with the power of the processor. Leaves out what the platform
/// does not say.
void price_moves(ArenaFigures& figures, const Platform& platform);

/// A runtime budget as a multiple of the baseline's runtime; 0 if the baseline takes no time.
double runtime_ratio(const RuntimeBudget& stated, const Baseline& base);

/// What a schedule file states of its problem: the limits, the runtime budget as the user stated
/// it, and the settings.
Request make_request(const Limits& limits, const RuntimeBudget& stated, const Baseline& base,
                     const SolveSettings& settings);

/// Adds to a problem what the proof says that it has no schedule.
void add_proof(ProblemInfo& problem, const SolveResult& result, const Graph& graph);

/// By how much of the extra energy the order that was chosen is better than the given one, in a
/// line for a message; empty if nothing was chosen.
std::string order_bought(const ScheduleFile& file);

/// Likewise of copies, if a search chose them.
std::string copies_bought(const ScheduleFile& file);

/// The exit status that a result leads to.
ExitCode exit_code_of(const SolveResult& result, bool require_optimal);

/// Why a schedule is missing, and the smallest RAM budget that could have one if it is known.
std::string explain(const SolveResult& result);

}  // namespace poet
