#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// A block of memory that is in use from time `lower` up to, but not including, time `upper`. Times
/// have any unit; for a flat program they count its instructions.
struct Buffer {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  Bytes bytes = 0;

  bool operator==(const Buffer&) const = default;
};

/// A buffer that is copied to another offset while it is in use.
struct Move {
  std::int64_t time = 0;  ///< before what happens at this time; moves of one time are in order
  int buffer = 0;
  Bytes offset = 0;  ///< where it goes; the old and the new place may overlap (memmove)

  bool operator==(const Move&) const = default;
};

/// A transfer that reads or writes a buffer from time `lower` to time `upper`. The buffer may be
/// moved at either of them, but not between. A buffer that arrives may start later than its
/// transfer.
struct Flight {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  int buffer = 0;

  bool operator==(const Flight&) const = default;
};

/// Offsets for buffers in one arena.
struct Placement {
  std::vector<Bytes> offsets;  ///< by buffer, from the start of the arena; before any move
  std::vector<Move> moves;     ///< in order of time

  bool operator==(const Placement&) const = default;
};

/// What buffers are placed in.
struct Arena {
  Bytes capacity_bytes = 0;
  Bytes alignment = 1;  ///< every offset is a multiple of it

  bool operator==(const Arena&) const = default;
};

/// Returns the most bytes in use at any time, each buffer's rounded up to the alignment: no arena
/// can be smaller. Throws InputError for a buffer whose `upper` is not above its `lower`, whose
/// size is negative, or if all in use at one time exceed 2^53 bytes.
Bytes peak_bytes(std::span<const Buffer> buffers, Bytes alignment = 1);

/// Returns the smallest arena that holds a placement: the highest end of any buffer, moves
/// included, in bytes.
Bytes arena_bytes(std::span<const Buffer> buffers, const Placement& placement, Bytes alignment = 1);

/// The orders in which the greedy placement takes buffers: largest first of what they name, but
/// `start` in order of time.
enum class GreedyOrder { size, area, width, start };

/// How the greedy placement picks among the gaps that are large enough.
enum class GreedyGap { lowest, tightest };

/// Places every buffer in turn, in a gap between those that are placed and live at the same time,
/// or else above them. Size with the lowest gap is the planner of TensorFlow Lite for
/// Microcontrollers; size with the tightest gap is "Greedy by Size for Offset Calculation" of
/// Pisarchyk and Lee (Efficient Memory Management for Deep Neural Net Inference, 2020,
/// section 5.2). Throws as peak_bytes().
Placement place_greedily(std::span<const Buffer> buffers, Bytes alignment, GreedyOrder order,
                         GreedyGap gap);

/// Returns the greedy placement with the smallest arena, of all orders and both kinds of gaps.
Placement best_greedy_placement(std::span<const Buffer> buffers, Bytes alignment);

/// What is known after a search for offsets.
enum class PlacementStatus {
  fits,        ///< offsets were found
  impossible,  ///< proven: no offsets fit the capacity
  cut_short    ///< neither was found within the limits
};

struct PlacementResult {
  PlacementStatus status = PlacementStatus::cut_short;
  Placement placement;          ///< without moves; empty unless it fits
  std::int64_t node_count = 0;  ///< of branch and bound; 0 if it was not needed
};

/// When a search for offsets gives up. 0 means no limit.
struct PlaceLimits {
  Seconds seconds = 0;  ///< of wall-clock time; where it ends a search depends on the machine
  std::int64_t search_nodes = 0;  ///< ends a search at the same node on any machine
};

/// A limit that all but a few schedules stay below. A node looks at every buffer, so that it takes
/// about a second at most.
constexpr std::int64_t usual_search_nodes(std::size_t buffer_count) {
  return 20'000'000 / static_cast<std::int64_t>(buffer_count + 1);
}

/// Searches for offsets within the capacity: greedy placements first, then branch and bound over
/// canonical placements, after MiniMalloc (Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
/// Hardware-Accelerated Machine Learning", ASPLOS 2023). Without a limit of time, equal arguments
/// give equal results. Throws as peak_bytes(), and InputError unless the alignment is at least 1.
PlacementResult place(std::span<const Buffer> buffers, const Arena& arena,
                      const PlaceLimits& limits = {});

/// Places buffers one after the other in order of time, at the offsets of `hint` if these are free.
/// If the next one does not fit, buffers in use are moved down until it does, which is always
/// possible if the capacity is at least the peak and nothing is in flight. Buffers that start at
/// the same time are placed after the same moves.
///
/// Flights are in order of time; those that overlap in time start and end together. Nothing is
/// moved in its flight. Returns nothing if flights are in the way of all that is tried; moves.cpp
/// says when that can be. Throws InputError if the capacity is below the peak.
std::optional<Placement> place_with_moves(std::span<const Buffer> buffers, const Arena& arena,
                                          const Placement& hint,
                                          std::span<const Flight> flights = {});

/// Returns what is wrong with a placement, one line each; empty if nothing is. It goes through time
/// and shares nothing with the code that places: two buffers overlap while both are in use, an
/// offset is not aligned, a buffer ends above the capacity, or a move is of a buffer that is not in
/// use, or in flight.
std::vector<std::string> check_placement(std::span<const Buffer> buffers, const Arena& arena,
                                         const Placement& placement,
                                         std::span<const Flight> flights = {});

/// The blocks of memory that a flat program needs.
struct ProgramBuffers {
  std::vector<Buffer> buffers;      ///< in order of the instructions that open them
  std::vector<int> nodes;           ///< by buffer: the node whose instruction opens it
  std::vector<int> of_instruction;  ///< by instruction: its tensor's buffer; -1 if it opens none
  std::vector<int> workspace;       ///< by instruction: the buffer of its workspace, or -1
};

/// Returns the lifetimes of a program: `compute` and `page_in` open a tensor's, `free` closes it. A
/// tensor that comes back has several. An output that takes over an input's memory (`over`) goes on
/// with that input's. A workspace lives for one instruction. Sizes are the graph's, not rounded.
/// Throws InputError for a program that opens what is open, or closes what is not.
ProgramBuffers program_buffers(const Graph& graph, std::span<const Instruction> program);

/// Returns the flights of a program without moves, whose lifetimes these are: a stage's page-outs
/// and page-ins last from its first instruction to the next stage's. They exist only if transfers
/// overlap with computations.
std::vector<Flight> program_flights(std::span<const Instruction> program,
                                    const ProgramBuffers& lifetimes, PagingTime paging_time);

/// The copies in secondary storage that a flat program makes.
struct ProgramCopies {
  std::vector<Buffer> buffers;      ///< in order of the page-outs that write them
  std::vector<int> of_instruction;  ///< by instruction: the copy that it writes or reads, or -1
};

/// Returns the lifetimes of the copies of a program, in secondary storage: `page_out` opens one,
/// and the last `page_in` before the next `page_out` of the same tensor closes it. A copy that is
/// never read lives for the one instruction that writes it. Sizes are in whole blocks. Throws
/// InputError for a program that reads what it has not written.
ProgramCopies program_copies(const Graph& graph, std::span<const Instruction> program);

}  // namespace poet
