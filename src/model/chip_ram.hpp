#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "poet/platform.hpp"
#include "poet/units.hpp"

namespace poet {

/// What the deepest kernel of exported C takes of the stack with what calls it. tests/target holds
/// it against the compiler's own figures, and a painted stack against it.
inline constexpr Bytes kStackBytes = 1344;

/// States the arena of a schedule with what exported C has in RAM, if that is known, and the sum.
void add_arena(std::optional<DeviceMemory>& memory, std::optional<Bytes> arena_bytes);

/// What training keeps in RAM beside tensors, by name: each TrainingArray, then the reserve.
std::array<std::pair<std::string_view, Bytes>, 4> terms_of(const DeviceMemory& memory);

/// The term of an array, with its name.
std::pair<std::string_view, Bytes> term_of(TrainingArray array, const DeviceMemory& memory);

/// The terms that are not 0, and what is in flash: `parameters 3.4 KiB, reserve 32 KiB; parameters
/// in flash 18.2 KiB`.
std::string beside_tensors(const DeviceMemory& memory);

/// Why no tensor fits beside them in the `all` bytes of `whose`: with the largest term, what makes
/// it smaller, and `or_else`, which helps as well.
std::string no_room_reason(const DeviceMemory& memory, Bytes all, const std::string& whose,
                           const std::string& or_else);

/// The same of the platform's chip, which states its RAM.
std::string no_room_in_chip(const Model& model, const Platform& platform);

}  // namespace poet
