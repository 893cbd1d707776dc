#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "execute/compute.hpp"
#include "execute/guarded_arena.hpp"
#include "execute/page_file.hpp"
#include "execute/placed_program.hpp"
#include "poet/arena.hpp"
#include "poet/graph.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// What a flat program did in memory and storage.
struct ExecutionFigures {
  Bytes arena_bytes = 0;         ///< of the block that it ran in, or of all banks
  Bytes peak_touched_bytes = 0;  ///< the most that tensors and workspace took at any time
  Bytes moved_bytes = 0;         ///< within the arena
  Bytes page_out_bytes = 0;
  Bytes page_in_bytes = 0;
  std::map<std::string, Seconds> op_seconds;  ///< of all computations of an op
};

/// Runs the flat program of a schedule, instruction by instruction, in an arena of exactly the
/// bytes that its tensors need: at the offsets that the program states, or else at offsets that fit
/// the peak. Likewise with the slots of copies in secondary storage.
class ScheduledStep {
 public:
  /// `alignment` is the alignment of the graph's tensors. With `poison`, memory that is not in use
  /// holds signalling NaNs. Throws InputError as placed_program() does, and if sizes that are no
  /// multiples of a float's put floats where kernels cannot read them. Offsets in `banks`, if there
  /// are some, are in blocks of their own, and what no single bank holds is an InputError of run().
  ScheduledStep(const TrainingStep& step, const Graph& graph, std::span<const Instruction> program,
                Bytes alignment, bool poison, PagingTime paging_time = PagingTime::free,
                std::span<const BankRange> banks = {});

  /// Runs the program once. Throws InputError for an instruction that reads what is not in RAM or
  /// not in storage, for one that puts something over what is in RAM, and if the page file fails;
  /// InternalError if a kernel writes in front of the arena.
  void run(TrainingState& state, PageFile& pages);

  /// The figures of all runs together; the peak of one.
  const ExecutionFigures& figures() const { return figures_; }
  /// What each instruction but moves took in the last run.
  const std::vector<Seconds>& instruction_seconds() const { return instruction_seconds_; }

 private:
  void place(Bytes alignment);
  void run_moves(std::size_t at);
  void run_compute(std::size_t at, const Instruction& instruction, TrainingState& state);
  void page_out(std::size_t at, const Instruction& instruction, PageFile& pages);
  void page_in(std::size_t at, const Instruction& instruction, PageFile& pages);
  void open(std::size_t at, int node, int buffer);
  void claim(std::size_t at, int node, int buffer);
  void release(int buffer);
  void close(std::size_t at, int node);
  std::byte* tensor_at(std::size_t at, int node);
  [[noreturn]] void fail(std::size_t at, int node, const char* what) const;

  const TrainingStep& step_;
  const Graph& graph_;
  PlacedProgram program_;
  Placement placement_;
  ExecutionFigures figures_;
  std::unique_ptr<GuardedArena> arena_;
  std::vector<Bytes> offset_;   ///< by buffer: where it is now
  std::vector<int> buffer_of_;  ///< by node: the buffer that holds it, or -1
  StoredCopies copies_;
  std::vector<Seconds> instruction_seconds_;
  std::size_t next_move_ = 0;
  std::map<Bytes, Bytes> used_;  ///< the arena's ranges in use, from start to end
  Bytes in_use_ = 0;
};

}  // namespace poet
