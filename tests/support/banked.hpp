#pragma once

#include <string>
#include <vector>

#include "poet/banks.hpp"

namespace poet::test {

/// What the judge of placements finds wrong in each bank; nothing in a sound placement.
inline std::vector<std::string> faults_in_banks(const BankProblem& problem,
                                                const BankedOffsets& placement) {
  std::vector<std::string> faults;
  for (std::size_t k = 0; k < problem.banks.size(); ++k) {
    std::vector<Buffer> inside;
    Placement offsets;
    Bytes left = problem.banks[k].bytes;
    for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
      if (placement.banks[b] != static_cast<int>(k)) continue;
      if (b >= problem.buffers.size() - problem.kept) {
        left -= problem.buffers[b].bytes;
        continue;
      }
      inside.push_back(problem.buffers[b]);
      offsets.offsets.push_back(placement.offsets[b]);
    }
    if (left < 0) faults.emplace_back("a bank has less room than what is kept in it");
    const Arena arena{.capacity_bytes = left / problem.room_alignment * problem.room_alignment,
                      .alignment = problem.alignment};
    for (const std::string& fault : check_placement(inside, arena, offsets)) {
      faults.push_back(fault);
    }
  }
  return faults;
}

}  // namespace poet::test
