#pragma once

#include <algorithm>
#include <cstddef>

#include "base/fields.hpp"
#include "base/process/child.hpp"
#include "solver/milp/mip_solver.hpp"

namespace poet {

// A MIP search in messages between processes.

template <>
inline constexpr auto kFields<MipProgress> = kMembers<&MipProgress::nodes, &MipProgress::bound>;

template <>
inline constexpr auto kLast<MipResult::Status> = MipResult::Status::failed;

template <>
inline constexpr auto kFields<MipResult> =
    kMembers<&MipResult::status, &MipResult::bound, &MipResult::values, &MipResult::doubtful,
             &MipResult::dropped, &MipResult::nodes, &MipResult::iterations, &MipResult::searches,
             &MipResult::message>;

/// Throws MalformedMessage if a point of the result is not one of a model with so many columns.
inline void check_points(const MipResult& result, std::size_t columns) {
  const auto fits = [&](const auto& point) { return point.size() == columns; };
  if ((result.values && !fits(*result.values)) ||
      !std::all_of(result.dropped.begin(), result.dropped.end(), fits)) {
    throw MalformedMessage("a point does not have a value per column");
  }
}

}  // namespace poet
