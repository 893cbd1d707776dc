#pragma once

#include <cstdint>

#include "poet/graph.hpp"
#include "solver/formulation/scope.hpp"

namespace poet {

/// About how many nonzeros formulate() would make, without making them: those of the memory rows,
/// which are nearly all. It grows with up to the third power of the number of nodes.
std::int64_t expected_nonzeros(const Graph& graph, const Scope& scope);

/// The most that a model may have: with the copies that Clp and CBC make of it, about 3 GiB.
inline constexpr std::int64_t kMostNonzeros = 8'000'000;

}  // namespace poet
