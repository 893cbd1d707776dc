// Two walks over a program, as a device would go: one writes tensors into an arena, the other
// copies into secondary storage. src/arena checks placements as well, but of buffers, whose
// lifetimes it has computed itself; a lifetime that is too short would pass there. Here nothing is
// known but the instructions, so that a file of anybody is judged by what it says. Each instruction
// is compared with all that is in RAM or in storage at that moment.

#include "schedule/addresses.hpp"

#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "schedule/findings.hpp"

namespace poet {
namespace {

/// A placement keeps to this alignment at least; its own may be larger.
constexpr Bytes kFloatBytes = 4;

/// By instruction: whether a stage is over after it. The stage of node t ends with the first
/// computation of t and what is freed then. Moves in front of a free are within it.
std::vector<bool> ends_of_stages(std::span<const Instruction> program) {
  std::vector<bool> ends(program.size(), false);
  int stage = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    if (program[at].op != Instruction::Op::compute || program[at].node != stage) continue;
    std::size_t last = at;
    for (std::size_t next = at + 1; next < program.size(); ++next) {
      if (program[next].op == Instruction::Op::free)
        last = next;
      else if (program[next].op != Instruction::Op::move)
        break;
    }
    ends[last] = true;
    ++stage;
  }
  return ends;
}

class AddressChecker {
 public:
  AddressChecker(const Graph& graph, Bytes arena_bytes, PagingTime paging_time)
      : graph_(graph),
        arena_bytes_(arena_bytes),
        overlapped_(paging_time == PagingTime::overlapped),
        findings_(graph) {}

  std::vector<std::string> run(std::span<const Instruction> program) {
    const std::vector<bool> ends = ends_of_stages(program);
    return findings_.follow(program, [&](const Instruction& step) {
      run_step(step);
      if (ends[static_cast<std::size_t>(&step - program.data())]) in_flight_.clear();
    });
  }

 private:
  void run_step(const Instruction& step) {
    const bool places = step.op != Instruction::Op::free && step.op != Instruction::Op::page_out;
    const bool computes = step.op == Instruction::Op::compute;
    if ((step.offset && !places) || (step.workspace_offset && !computes)) {
      add(step.node, "has an offset where none belongs");
    }
    switch (step.op) {
      case Instruction::Op::compute:
        compute(step);
        break;
      case Instruction::Op::page_in:
        put(step.node, step.offset);
        transfer(step.node);
        break;
      case Instruction::Op::free:
        offsets_.erase(step.node);
        break;
      case Instruction::Op::move:
        if (offsets_.erase(step.node) == 0) add(step.node, "is moved, but is not in RAM");
        if (in_flight_.contains(step.node)) add(step.node, "is moved while it is transferred");
        put(step.node, step.offset);
        break;
      case Instruction::Op::page_out:
        transfer(step.node);
        break;
    }
  }

  /// A transfer that overlaps with computations goes on until the end of its stage.
  void transfer(int node) {
    if (overlapped_) in_flight_.insert(node);
  }

  void compute(const Instruction& step) {
    if (step.over) {
      const auto taken = offsets_.find(*step.over);
      if (taken == offsets_.end() || step.offset != taken->second) {
        add(step.node, fmt::format("is not at the offset of {}, which it takes over",
                                   node_label(graph_, *step.over)));
      }
      offsets_.erase(*step.over);
    }
    put(step.node, step.offset);
    const Bytes workspace = graph_.nodes[step.node].workspace_bytes;
    if (workspace > 0) check_place(step.node, step.workspace_offset, workspace, "the workspace");
  }

  void put(int node, const std::optional<Bytes>& offset) {
    check_place(node, offset, graph_.nodes[node].bytes, "the output");
    if (offset) offsets_[node] = *offset;
  }

  void check_place(int node, const std::optional<Bytes>& offset, Bytes bytes, const char* what) {
    if (!offset) return add(node, fmt::format("has no offset for {}", what));
    if (*offset % kFloatBytes != 0) {
      add(node, fmt::format("has {} at {}; expected a multiple of {}", what, *offset, kFloatBytes));
    }
    if (*offset < 0 || bytes > arena_bytes_ || *offset > arena_bytes_ - bytes) {
      add(node, fmt::format("has {} of {} bytes at {}; the arena has {}", what, bytes, *offset,
                            arena_bytes_));
    }
    for (const auto& [other, from] : offsets_) {
      const Bytes size = graph_.nodes[other].bytes;
      const bool apart = from >= *offset + bytes || *offset >= from + size;
      if (apart || size == 0 || bytes == 0) continue;
      add(node, fmt::format("has {} at {}, which overlaps with {} at {}", what, *offset,
                            node_label(graph_, other), from));
    }
  }

  void add(int node, const std::string& what) { findings_.add(node, what); }

  const Graph& graph_;
  Bytes arena_bytes_;
  bool overlapped_;
  std::map<int, Bytes> offsets_;  ///< by node in RAM
  std::set<int> in_flight_;       ///< nodes whose transfers are not over
  ProgramFindings findings_;
};

/// A copy that nothing has been written over.
struct WholeCopy {
  int node = 0;
  Bytes from = 0;
  Bytes to = 0;
};

class SlotChecker {
 public:
  SlotChecker(const Graph& graph, std::optional<Bytes> storage_bytes)
      : graph_(graph), storage_bytes_(storage_bytes.value_or(0)), findings_(graph) {}

  std::vector<std::string> run(std::span<const Instruction> program) {
    return findings_.follow(program, [this](const Instruction& step) { run_step(step); });
  }

 private:
  void run_step(const Instruction& step) {
    const bool writes = step.op == Instruction::Op::page_out;
    if (!writes && step.op != Instruction::Op::page_in) {
      if (step.slot) add(step.node, "has a slot, but is not transferred");
      return;
    }
    if (!step.slot) return add(step.node, "has no slot");
    if (writes) return write(step.node, *step.slot);
    for (const WholeCopy& copy : copies_) {
      if (copy.node == step.node && copy.from == *step.slot) return;
    }
    add(step.node, fmt::format("is read from slot {}, where there is no copy of it", *step.slot));
  }

  // A copy that is written over in part is gone, as a page-in reads all of it.
  void write(int node, Bytes slot) {
    const Bytes bytes = bytes_in_storage(graph_.nodes[node]);
    if (bytes < graph_.nodes[node].bytes) {
      add(node, fmt::format("has a copy of {} bytes; the tensor has {}", bytes,
                            graph_.nodes[node].bytes));
    }
    if (bytes > storage_bytes_ || slot > storage_bytes_ - bytes) {
      add(node, fmt::format("has a copy of {} bytes in slot {}; summary.storage_bytes is {}", bytes,
                            slot, storage_bytes_));
    }
    std::erase_if(
        copies_, [&](const WholeCopy& copy) { return copy.from < slot + bytes && slot < copy.to; });
    copies_.push_back({.node = node, .from = slot, .to = slot + bytes});
  }

  void add(int node, const std::string& what) { findings_.add(node, what); }

  const Graph& graph_;
  Bytes storage_bytes_;
  std::vector<WholeCopy> copies_;
  ProgramFindings findings_;
};

}  // namespace

std::vector<std::string> check_addresses(const Graph& graph, std::span<const Instruction> program,
                                         Bytes arena_bytes, PagingTime paging_time) {
  return AddressChecker(graph, arena_bytes, paging_time).run(program);
}

std::vector<std::string> check_slots(const Graph& graph, std::span<const Instruction> program,
                                     std::optional<Bytes> storage_bytes) {
  return SlotChecker(graph, storage_bytes).run(program);
}

}  // namespace poet
