#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "poet/arena.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// One of several memories, each of which has an arena of its own.
struct Bank {
  Bytes bytes = 0;
  double cost_per_byte = 0;  ///< of a byte that is read or written, such as its time; from 0

  bool operator==(const Bank&) const = default;
};

/// Buffers that have to lie in banks, each in one, so that what is read and written costs least.
struct BankProblem {
  std::vector<Buffer> buffers;
  std::vector<Bytes> traffic;  ///< by buffer: bytes that are read and written in its life
  std::vector<int> pinned;     ///< by buffer: the bank that it has to be in, or -1; empty: none
  std::vector<Bank> banks;
  Bytes alignment = 1;
  /// The last buffers, so many of them, are kept: they live all the time, are as large as they say,
  /// and get no offsets. What they leave of a bank, down to a multiple of `room_alignment`, is for
  /// the others. Both alignments are powers of two.
  int kept = 0;
  Bytes room_alignment = 1;
};

/// Where buffers lie: which bank, and where in it.
struct BankedOffsets {
  std::vector<int> banks;      ///< by buffer
  std::vector<Bytes> offsets;  ///< by buffer, from the start of its bank; 0 for those kept

  bool operator==(const BankedOffsets&) const = default;
};

struct BankPlacement {
  PlacementStatus status = PlacementStatus::cut_short;
  BankedOffsets placement;  ///< empty unless it fits
  double cost = 0;          ///< of the placement
  double bound = 0;         ///< proven: no placement costs less; equal to the cost if that is least
  /// If nothing fits: buffers for which the best attempt had no room, and the most bytes of them in
  /// use at once. With so many bytes less at the same times, that attempt would have fitted.
  std::vector<int> left_over;
  Bytes missing_bytes = 0;
  std::int64_t node_count = 0;  ///< of branch and bound
};

/// What the traffic of every buffer costs in the bank in which it is.
double cost_of(const BankProblem& problem, std::span<const int> banks);

/// In which order a greedy placement takes buffers, each to the cheapest bank with room.
enum class BankOrder {
  size,     ///< the largest first
  traffic,  ///< what is read and written most first
  density   ///< what is read and written most for each of its bytes first
};

/// Places every buffer in turn in the cheapest bank that has a gap for it. Buffers without room are
/// listed in `left_over`.
BankPlacement place_greedily_in_banks(const BankProblem& problem, BankOrder order);

/// Searches for the placement that costs least: greedy ones, a search by exchanges, and branch and
/// bound over banks, with a bound by prices for the bytes of each moment. Small problems are solved
/// to the end; others get the best that is found within `limits`, and the bound. Equal arguments
/// give equal results without a limit of time. Throws InputError as peak_bytes(), and for traffic
/// or costs below 0 and pins that name no bank.
BankPlacement place_in_banks(const BankProblem& problem, const PlaceLimits& limits = {});

/// Returns the bytes that a program without moves reads and writes in each of its buffers: an input
/// is read and an output written once by every computation, a workspace both; transfers read or
/// write all of a tensor. These are the bytes for which `memory_bytes_per_second` of a platform
/// makes a computation wait, but for parameters.
std::vector<Bytes> program_traffic(const Graph& graph, std::span<const Instruction> program,
                                   const ProgramBuffers& lifetimes);

}  // namespace poet
