#pragma once

#include <span>
#include <vector>

#include "poet/problem.hpp"

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

/// The stage `first`, and at most `count` of the stages after it in which a schedule fills this
/// share of the RAM budget, given its peak by stage; empty if there are none. What binds a good
/// schedule binds the others: in equal blocks these are the same few stages of each block, which
/// spread moments miss.
std::vector<int> full_moments(const Limits& limits, std::span<const Bytes> peaks, double share,
                              int first, int count);

}  // namespace poet
