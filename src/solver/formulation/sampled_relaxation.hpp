#pragma once

#include <span>
#include <vector>

#include "poet/problem.hpp"
#include "solver/formulation/useful_windows.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// What happens after the moment at which stage `moment` computes its own node, up to and in stage
/// `last`, where the next moment is.
struct SampledInterval {
  int moment = 0;
  int last = 0;
  // By node, up to `moment`:
  std::vector<BinaryExpression> held;     ///< S: in RAM at the moment
  std::vector<BinaryExpression> compute;  ///< R: recomputed in a stage of the interval
  std::vector<BinaryExpression>
      page_in;  ///< I: paged in from stage `moment` on, to be used after it
  std::vector<BinaryExpression> compute_later;  ///< Z: recomputed in this interval or a later one
  std::vector<BinaryExpression> page_in_later;  ///< Y: paged in, likewise
};

/// A model of the RAM at some moments, with the meaning of its columns. The objective is in joules
/// above the baseline.
struct SampledModel {
  Milp milp;
  std::vector<SampledInterval> intervals;
  std::vector<BinaryExpression> paged;  ///< P, by node: ever written out
};

/// A relaxation that looks at RAM at a few sampled moments only (moments.hpp, ascending), and is
/// therefore small. What happens between two moments is summed up: a tensor is recomputed in the
/// interval or not, paged in or not. What happens before the first one is free. The optimum is a
/// lower bound on the extra energy of every schedule that the windows allow, for any graph and any
/// moments.
///
/// In most problems the whole difficulty is one choice: what to keep at the peak. One to four
/// moments capture that choice in some hundred columns; the collapsed model has ten thousand.
/// Graphs whose complete model is too large to build get their only bound from here.
/// docs/formulation.md, "The sampled relaxation".
SampledModel sampled_relaxation(const Problem& problem, const UsefulWindows& windows,
                                const std::vector<int>& moments);

/// Precedence cuts (cuts.hpp) between two moments of the model that a point violates, the most
/// violated first. Valid for all schedules that the windows allow.
std::vector<MilpRow> sampled_cuts(const SampledModel& model, const Graph& graph,
                                  std::span<const double> values);

}  // namespace poet
