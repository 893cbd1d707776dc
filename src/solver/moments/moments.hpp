#pragma once

#include <vector>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"

namespace poet {

// Where moment models (moment_model.hpp) look at RAM. A moment is a stage, when it computes
// its own node. Any ascending list of stages gives a valid bound; a good one gives a high bound.

/// At most `count` stages from `first` on, at about equal distances.
std::vector<int> spread_moments(const Graph& graph, int first, int count);

/// At most `count` stages in which the baseline overruns the RAM budget: these stages are cut into
/// `count` parts of equal excess area (bytes over the budget times stages), and the moment of a
/// part is the stage of its highest excess. Empty if the baseline fits.
///
/// Every schedule has to give up the excess at its peak, wherever the graph has it; general graphs
/// have no backward pass to guess it from. In large layered graphs one such moment bounds the extra
/// energy better than many spread ones.
std::vector<int> peak_moments(const Problem& problem, int count);

/// The given moments, and between any two of them, before the first and after the last the stage in
/// which what a point computes again and pages (schedule_of_moments.hpp) needs most RAM, if it
/// overruns the budget; with the stage before it if it does so in a recomputation, on which only
/// consecutive moments have rows. A model of these moments refutes the point.
std::vector<int> moments_against(const Problem& problem, const std::vector<int>& moments,
                                 const Schedule& point);

}  // namespace poet
