// From a program to banks. A file states banks as ranges of one count of offsets: readers of
// offsets go on as before, and only who cares asks which range one is in. Tensors are not moved:
// from one bank to another, a move would cost what the placement saves.

#include "report/place_over_banks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "model/shape.hpp"
#include "model/training_arrays.hpp"
#include "poet/banks.hpp"
#include "poet/error.hpp"
#include "problem/alignment.hpp"
#include "report/bank_figures.hpp"

namespace poet {
namespace {

double cost_per_byte(const BankFigures& bank, const Platform& platform, BankCost cost) {
  if (cost == BankCost::time) return 1 / bank.bytes_per_second;
  if (bank.joules_per_byte) return *bank.joules_per_byte;
  throw InputError(
      fmt::format("platform '{}': the bank '{}' has no joules_per_byte; expected one for each "
                  "bank, or the cost "
                  "in time",
                  printable(platform.name), bank.name));
}

/// By buffer: the bank that one of the nodes demands whose outputs it holds, or -1.
std::vector<int> pins_of(const ScheduleFile& file, const ProgramBuffers& lifetimes,
                         const std::vector<BankFigures>& banks, const Platform& platform) {
  std::vector<int> pins(lifetimes.buffers.size(), -1);
  for (std::size_t at = 0; at < file.program.size(); ++at) {
    const int buffer = lifetimes.of_instruction[at];
    if (buffer < 0) continue;
    const Node& node = file.graph.nodes[file.program[at].node];
    if (node.bank.empty() || node.bytes == 0) continue;
    const auto bank = std::find_if(banks.begin(), banks.end(),
                                   [&](const auto& each) { return each.name == node.bank; });
    if (bank == banks.end()) {
      throw InputError(
          fmt::format("node '{}' has to be in the bank '{}'; platform '{}' has no such "
                      "bank",
                      printable(node.name), printable(node.bank), printable(platform.name)));
    }
    const int number = static_cast<int>(bank - banks.begin());
    if (pins[buffer] >= 0 && pins[buffer] != number) {
      throw InputError(fmt::format(
          "node '{}' has to be in the bank '{}', and takes over the memory of an input in '{}'",
          printable(node.name), printable(node.bank), banks[pins[buffer]].name));
    }
    pins[buffer] = number;
  }
  return pins;
}

/// The nodes of buffers, each once.
std::vector<int> nodes_of(const std::vector<int>& buffers, const ProgramBuffers& lifetimes) {
  std::vector<int> nodes;
  nodes.reserve(buffers.size());
  for (const int b : buffers) {
    if (b < static_cast<int>(lifetimes.nodes.size())) nodes.push_back(lifetimes.nodes[b]);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// Whether no bank that may hold a buffer is large enough.
bool is_above_all(const BankProblem& problem, int buffer) {
  const bool is_kept = buffer >= static_cast<int>(problem.buffers.size()) - problem.kept;
  const Bytes own = problem.buffers[buffer].bytes;
  const Bytes bytes =
      is_kept ? own : aligned(own, std::max(problem.alignment, problem.room_alignment));
  if (const int pin = problem.pinned[buffer]; pin >= 0) return bytes > problem.banks[pin].bytes;
  return std::all_of(problem.banks.begin(), problem.banks.end(),
                     [&](const Bank& bank) { return bytes > bank.bytes; });
}

/// The arrays that have to be in banks, with what the program does in them.
std::vector<KeptFigures> arrays_to_place(const ScheduleFile& file, const Platform& platform,
                                         const std::vector<BankFigures>& banks,
                                         const Model* model) {
  if (arrays_in_banks(banks, file).empty()) return {};
  if (model != nullptr) return kept_traffic(file, *model, platform);
  throw InputError(
      "the model of the schedule was not found, which says what reads and writes the parameters; "
      "expected --model");
}

/// Adds each array to the buffers of the program as one that is kept.
void add_arrays(BankProblem& problem, const std::vector<KeptFigures>& arrays,
                const Platform& platform) {
  std::int64_t end = 1;
  for (const Buffer& buffer : problem.buffers) end = std::max(end, buffer.upper);
  const MemoryBank* const keeper = keeping_bank(platform);
  const int pin = keeper != nullptr ? static_cast<int>(keeper - platform.banks.data()) : -1;
  for (const KeptFigures& array : arrays) {
    problem.buffers.push_back({.lower = 0, .upper = end, .bytes = array.bytes});
    problem.traffic.push_back(checked_sum({array.read_bytes, array.written_bytes}));
    problem.pinned.push_back(pin);
  }
}

}  // namespace

ProgramInBanks place_over_banks(const ScheduleFile& file, const ProgramBuffers& lifetimes,
                                const Platform& platform, const BankWishes& wishes) {
  ProgramInBanks result;
  BankedFigures& figures = result.figures;
  figures.banks = bank_rooms(platform, file);
  std::vector<KeptFigures> arrays = arrays_to_place(file, platform, figures.banks, wishes.model);
  BankProblem problem{.buffers = lifetimes.buffers,
                      .traffic = program_traffic(file.graph, file.program, lifetimes),
                      .pinned = pins_of(file, lifetimes, figures.banks, platform),
                      .banks = {},
                      .alignment = wishes.alignment,
                      .kept = static_cast<int>(arrays.size()),
                      .room_alignment = kBankAlignment};
  add_arrays(problem, arrays, platform);
  for (const BankFigures& bank : figures.banks) {
    problem.banks.push_back({.bytes = bank.bytes - bank.kept_bytes,
                             .cost_per_byte = cost_per_byte(bank, platform, wishes.cost)});
    result.room_bytes += room_of(bank);
  }
  // What is left of a bank is rounded once, after its arrays, so that these take as little as this.
  for (const KeptFigures& array : arrays) {
    result.room_bytes -= array.bytes / kBankAlignment * kBankAlignment;
  }
  BankPlacement found = place_in_banks(problem, {.seconds = wishes.time_limit});
  result.status = found.status;
  const std::size_t first = lifetimes.buffers.size();
  if (found.status != PlacementStatus::fits) {
    result.missing_bytes = found.missing_bytes;
    result.left_over = nodes_of(found.left_over, lifetimes);
    for (const int b : found.left_over) {
      if (b >= static_cast<int>(first)) result.left_arrays.push_back(arrays[b - first].what);
    }
    result.is_above_banks = std::any_of(found.left_over.begin(), found.left_over.end(),
                                        [&](int b) { return is_above_all(problem, b); });
    return result;
  }
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    arrays[k].bank = figures.banks[found.placement.banks[first + k]].name;
  }
  keep_in_banks(figures, std::move(arrays));
  figures.bank_cost = wishes.cost;
  figures.bank_bound = found.bound;
  result.placement.offsets = std::move(found.placement.offsets);
  result.placement.offsets.resize(first);
  for (std::size_t b = 0; b < first; ++b) {
    result.placement.offsets[b] += figures.banks[found.placement.banks[b]].offset;
  }
  return result;
}

}  // namespace poet
