// The figures of a file whose program has offsets, from the offsets themselves: nothing here knows
// how they were chosen. Offsets do not change energy, time or the rules, so all of this comes after
// the replay.

#include "report/claim.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "poet/arena.hpp"
#include "problem/alignment.hpp"
#include "report/fields.hpp"
#include "report/summary.hpp"
#include "schedule/addresses.hpp"

namespace poet {
namespace {

/// The largest alignment that `place` offers.
constexpr Bytes kMostPlaceAlignment = 32;

/// Whether a program has offsets of this alignment alone.
bool is_aligned(const std::vector<Instruction>& program, Bytes alignment) {
  return std::all_of(program.begin(), program.end(), [&](const Instruction& step) {
    return step.offset.value_or(0) % alignment == 0 &&
           step.workspace_offset.value_or(0) % alignment == 0;
  });
}

/// What the program uses, if sizes in RAM are rounded up to an alignment.
ArenaFigures figures_of(const ScheduleFile& file, Bytes alignment) {
  ArenaFigures figures{.arena_bytes = 0};
  const auto extend = [](std::optional<Bytes>& end, Bytes from, Bytes bytes) {
    end = std::max(end.value_or(0), from + bytes);
  };
  for (const Instruction& step : file.program) {
    const Node& node = file.graph.nodes[step.node];
    if (step.offset) extend(figures.arena_bytes, *step.offset, aligned(node.bytes, alignment));
    if (step.workspace_offset) {
      extend(figures.arena_bytes, *step.workspace_offset, aligned(node.workspace_bytes, alignment));
    }
    if (step.slot && step.op == Instruction::Op::page_out) {
      extend(figures.storage_bytes, *step.slot, bytes_in_storage(node));
    }
    if (step.op == Instruction::Op::move) {
      figures.moved_bytes = figures.moved_bytes.value_or(0) + node.bytes;
    }
  }
  return figures;
}

/// A file does not state the alignment that it was placed for: it is one that all offsets have, and
/// that `place` can choose.
ArenaFigures expected_arena(const ScheduleFile& file) {
  const Bytes own = std::max(kUsualAlignment, file.model.alignment);
  const ArenaFigures expected = figures_of(file, is_aligned(file.program, own) ? own : 1);
  for (Bytes other = kUsualAlignment; other <= kMostPlaceAlignment; other *= 2) {
    if (!is_aligned(file.program, other)) break;
    const ArenaFigures figures = figures_of(file, other);
    if (figures.arena_bytes == file.arena.arena_bytes) return figures;
  }
  return expected;
}

}  // namespace

// A bad index ends the check, since all that follows looks nodes up by it.
void check_arena(std::vector<std::string>& found, const ScheduleFile& file, const Model* model,
                 const Platform* platform) {
  for (const Instruction& step : file.program) {
    if (step.node >= 0 && step.node < file.graph.size()) continue;
    found.push_back(
        fmt::format("program: {} is moved, which is not a node of the graph", step.node));
    return;
  }
  ArenaFigures expected = expected_arena(file);
  if (platform != nullptr) {
    price_moves(expected, *platform);
  } else if (expected.moved_bytes) {
    expected.moved_seconds = file.arena.moved_seconds;
    expected.moved_joules = file.arena.moved_joules;
  }
  for_each_field(kFields<ArenaFigures>, [&](const auto& field) {
    const auto& stated = field.of(file.arena);
    if (stated == field.of(expected)) return;
    const auto shown = [](const auto& figure) {
      return figure ? fmt::format("{}", *figure) : std::string("missing");
    };
    found.push_back(fmt::format("summary.{} is {}; the program says {}", field.key, shown(stated),
                                shown(field.of(expected))));
  });
  if (!file.arena.arena_bytes) return;
  const std::vector<std::string> overlaps = check_addresses(
      file.graph, file.program, *file.arena.arena_bytes, file.request.limits.paging_time);
  found.insert(found.end(), overlaps.begin(), overlaps.end());
  const std::vector<std::string> lost =
      check_slots(file.graph, file.program, file.arena.storage_bytes);
  found.insert(found.end(), lost.begin(), lost.end());
  check_banks(found, file, model, platform);
}

}  // namespace poet
