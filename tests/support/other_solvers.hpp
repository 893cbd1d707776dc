#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "poet/units.hpp"

namespace poet::test {

/// What another solver reports about an exported model.
struct OtherAnswer {
  enum class Status { optimal, infeasible, stopped };
  Status status = Status::stopped;
  /// The energy of its best solution, baseline included; NaN if it has none.
  Joules energy_joules = NAN;
};

/// Whether glpsol (Debian: glpk-utils) was there when the tests were configured.
bool has_glpsol();

/// Whether scripts/install-highs has been run and there is a `node` to run it with.
bool has_highs();

/// Solves an .mps file that export_milp wrote. The report goes next to it.
OtherAnswer ask_glpsol(const std::string& model, Seconds time_limit);

/// Solves .lp files with HiGHS, one after the other, each within the time limit.
std::vector<OtherAnswer> ask_highs(const std::vector<std::string>& models, Seconds time_limit);

}  // namespace poet::test
