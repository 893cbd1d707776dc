// Offsets for runtimes that are not ours, in two formats. TensorFlow Lite for Microcontrollers
// takes its memory plan from a model's metadata. Its plan gives a tensor one offset for life, so
// each stay of a tensor in RAM becomes a tensor of its own, and a schedule with moves is refused.
// All other runtimes get a table of the program, with a line for each instruction: docs/export.md
// describes its columns.

#include "export/memory_plan.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text/escape.hpp"
#include "export/resolve_memory.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kSubgraphs = 1;

// Byte by byte, so that the file is little-endian on any machine.
void append(std::string& bytes, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>(value >> shift & 0xffU);
  }
}

/// `page_out` of POET_PAGE_OUT.
std::string word_of(poet_op op) {
  std::string word(name_of(op).substr(std::string_view("POET_").size()));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

/// Offsets of the inputs, by blanks.
std::string words(const std::vector<Bytes>& numbers) {
  std::string text;
  for (const Bytes number : numbers) text += fmt::format("{}{}", text.empty() ? "" : " ", number);
  return text;
}

}  // namespace

/// The metadata has offsets alone. Which tensor an offset is for follows from the order, so the
/// table beside it states node, name and life of each.
FolderFiles memory_plan(const PlacedStep& placed) {
  if (placed.banks.size() > 1) {
    throw InputError(
        "found tensors in several banks, and an offline memory plan has one arena; expected one, "
        "as "
        "'place --capacity' finds offsets for");
  }
  const std::vector<Lifetime> lifetimes = lifetimes_of(placed.graph, placed.program);
  std::string metadata;
  append(metadata, kVersion);
  append(metadata, kSubgraphs);
  append(metadata, static_cast<std::uint32_t>(lifetimes.size()));
  std::string table = "tensor,node,name,first,end,offset,bytes\n";
  for (std::size_t i = 0; i < lifetimes.size(); ++i) {
    const Lifetime& each = lifetimes[i];
    if (each.moves) {
      throw InputError(fmt::format(
          "instruction {}: the tensor is moved later, and an offline memory plan cannot say so; "
          "expected offsets without moves, as 'place --no-moves' finds them",
          each.first));
    }
    if (each.offset > std::numeric_limits<std::int32_t>::max()) {
      throw InputError(fmt::format("found the offset {}; expected at most 2^31 - 1", each.offset));
    }
    append(metadata, static_cast<std::uint32_t>(each.offset));
    const std::string& name = placed.graph.nodes[each.node].name;
    table += fmt::format("{},{},{},{},{},{},{}\n", i, each.node, csv_field(name), each.first,
                         each.end, each.offset, each.bytes);
  }
  return {{"offline_memory_plan.bin", metadata}, {"offline_memory_plan.csv", table}};
}

// Cells that do not apply to an instruction are empty and not 0, which is an offset.
FolderFiles program_table(const PlacedStep& placed) {
  const ResolvedProgram program = resolve_memory(placed.graph, placed.program);
  std::string table = "instruction,op,node,name,bytes,offset,from,storage,inputs\n";
  for (const ResolvedInstruction& each : program.instructions) {
    const bool is_page = each.op == POET_PAGE_OUT || each.op == POET_PAGE_IN;
    const std::string from = each.op == POET_MOVE ? fmt::format("{}", each.from) : "";
    const std::string storage = is_page ? fmt::format("{}", each.from) : "";
    const std::string& name = placed.graph.nodes[each.node].name;
    table +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", each.number, word_of(each.op), each.node,
                    csv_field(name), each.bytes, each.offset, from, storage, words(each.inputs));
  }
  return {{"program.csv", table}};
}

}  // namespace poet
