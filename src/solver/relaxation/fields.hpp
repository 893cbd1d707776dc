#pragma once

#include <algorithm>
#include <cstddef>
#include <variant>

#include "base/fields.hpp"
#include "solver/formulation/cuts.hpp"

namespace poet {

// Cuts in messages between processes. How much the point that a cut was found at violates it says
// nothing to a process that has another point, so `violation` stays behind.

template <>
inline constexpr auto kFields<PrecedenceCut> =
    kMembers<&PrecedenceCut::first, &PrecedenceCut::last, &PrecedenceCut::path,
             &PrecedenceCut::by_copy>;

template <>
inline constexpr auto kFields<Knapsack> = kMembers<&Knapsack::weights, &Knapsack::capacity>;
template <>
inline constexpr auto kFields<KnapsackCut> =
    kMembers<&KnapsackCut::stage, &KnapsackCut::node, &KnapsackCut::tensors,
             &KnapsackCut::knapsack>;

template <>
inline constexpr auto kFields<TailCut> =
    kMembers<&TailCut::stage, &TailCut::least_joules, &TailCut::tensors, &TailCut::resident,
             &TailCut::paged>;

/// Whether an index is valid for an array of this size.
inline bool is_index(int index, std::size_t size) {
  return index >= 0 && static_cast<std::size_t>(index) < size;
}

/// Whether a cut can be about a graph of so many nodes.
inline bool fits(const KnapsackCut& cut, std::size_t nodes) {
  const std::size_t computable = static_cast<std::size_t>(cut.stage) + 1;
  return is_index(cut.stage, nodes) && is_index(cut.node, computable) &&
         std::all_of(cut.tensors.begin(), cut.tensors.end(),
                     [=](int tensor) { return is_index(tensor, computable); }) &&
         cut.knapsack.weights.size() == cut.tensors.size();
}
inline bool fits(const PrecedenceCut& cut, std::size_t nodes) {
  return is_index(cut.first, nodes) && is_index(cut.last, nodes) &&
         std::all_of(cut.path.begin(), cut.path.end(),
                     [nodes](int node) { return is_index(node, nodes); }) &&
         cut.by_copy.size() == cut.path.size();
}
inline bool fits(const TailCut& cut, std::size_t nodes) {
  return is_index(cut.stage, nodes) &&
         std::ranges::all_of(cut.tensors,
                             [&](int tensor) { return is_index(tensor, cut.stage); }) &&
         cut.resident.size() == cut.tensors.size() && cut.paged.size() == cut.tensors.size();
}
inline bool fits(const Cut& cut, std::size_t nodes) {
  return std::visit([nodes](const auto& kind) { return fits(kind, nodes); }, cut);
}

}  // namespace poet
