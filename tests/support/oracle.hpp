#pragma once

#include <limits>
#include <optional>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"

namespace poet::test {

/// A cheapest schedule, and what the search for it found it to cost.
struct OracleAnswer {
  Joules energy_joules = 0;
  Seconds runtime_seconds = 0;
  Schedule schedule;
};

/// The most nodes that the oracle accepts: its work grows about tenfold with each.
inline constexpr int kOracleNodes = 9;

/// The least energy within the limits, found by trying everything; nothing if no schedule keeps
/// to them. It is a reading of its own of the rules in docs/schedule-format.md: it knows no linear
/// program, no replay and no plan. RAM is compared in whole bytes, the runtime as it stands,
/// without slack. Schedules of more than `most_joules` are of no interest, which saves time;
/// rounding may let some pass. Throws std::invalid_argument for more than kOracleNodes nodes.
std::optional<OracleAnswer> ask_oracle(
    const Graph& graph, const Limits& limits,
    Joules most_joules = std::numeric_limits<Joules>::infinity());

}  // namespace poet::test
